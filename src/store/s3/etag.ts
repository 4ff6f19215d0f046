import { createHash } from 'node:crypto';

/**
 * Removes quotes and `W/` (docs/spec/s3-layout.md#etags): some stores add quotes in one response and not in
 * another.
 */
export function normalizeEtag(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || undefined;
}

/** The usual ETag of a multipart object: the MD5 of its parts' MD5s, `-`, and their number. */
export function multipartEtag(md5s: readonly Buffer[]): string {
  return `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${md5s.length}`;
}

export function md5Digest(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}
