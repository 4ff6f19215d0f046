import { createHash } from 'node:crypto';

/** An ETag as records have it: some stores answer one and the same with quotes here, and without there. */
export function normalizeEtag(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || undefined;
}

/** What stores give an object of several parts for an ETag: the MD5 of their MD5s, and how many they were. */
export function multipartEtag(md5s: readonly Buffer[]): string {
  return `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${md5s.length}`;
}

export function md5Digest(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}
