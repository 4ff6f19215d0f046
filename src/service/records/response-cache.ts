import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../base/create-folder.js';

/** Milliseconds for which a copy is used without a request. */
export const CACHE_FRESH_MS = 3_600_000;

/** Validators for conditional requests (RFC 9110, section 13.1). */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** A stored response. */
export interface CachedResponse extends Validators {
  readonly body: Buffer;
  /** Milliseconds since the response was fetched or last confirmed as unchanged. */
  readonly ageMs: number;
}

interface CacheHeader {
  readonly url: string;
  readonly bytes: number;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/**
 * Reads the stored response of a URL. A file holds one line of JSON and then the body as received; its modification
 * time is the time of the request (`docs/spec/metadata-api.md#stored-copies`).
 * @returns undefined if there is no file or it cannot be used, for any reason.
 */
export async function readCachedResponse(folder: string, url: string): Promise<CachedResponse | undefined> {
  try {
    const path = cachePath(folder, url);
    const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
    const end = bytes.indexOf('\n');
    const header = JSON.parse(bytes.toString('utf8', 0, end)) as CacheHeader;
    const body = bytes.subarray(end + 1);
    if (header.url !== url || header.bytes !== body.length) return undefined;
    const ageMs = Date.now() - mtimeMs;
    return { body, ageMs, etag: asText(header.etag), lastModified: asText(header.lastModified) };
  } catch {
    return undefined;
  }
}

/** Whether a copy may be used without a request. A copy from the future may not: the clock was changed. */
export function isFresh({ ageMs }: CachedResponse): boolean {
  return ageMs > -1000 && ageMs < CACHE_FRESH_MS;
}

/** Stores a response. If the folder cannot be written, nothing is stored and no error is thrown. */
export async function writeCachedResponse(
  folder: string,
  url: string,
  body: Buffer,
  validators: Validators,
): Promise<void> {
  const path = cachePath(folder, url);
  const temporary = `${path}.${randomUUID()}.tmp`;
  const header: CacheHeader = { url, bytes: body.length, ...validators };
  try {
    await createFolder(folder);
    await writeFile(temporary, [`${JSON.stringify(header)}\n`, body]);
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Renews a copy's time after the service confirmed it as unchanged. */
export async function touchCachedResponse(folder: string, url: string): Promise<void> {
  const now = new Date();
  await utimes(cachePath(folder, url), now, now).catch(() => undefined);
}

/** Bytes that hold any header. */
const MAX_HEADER_BYTES = 4096;

/** Lists the URLs with stored responses, in any order; empty if the folder cannot be read. */
export async function listCachedUrls(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const urls = await Promise.all(
    files.filter((name) => name.endsWith(EXTENSION)).map((name) => readCachedUrl(join(folder, name))),
  );
  return urls.filter((url) => url !== undefined);
}

async function readCachedUrl(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
      const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
      return asText((JSON.parse(header) as CacheHeader).url);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

const EXTENSION = '.cache';

function cachePath(folder: string, url: string): string {
  return join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}${EXTENSION}`);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
