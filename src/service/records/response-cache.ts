import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../base/disk-files.js';

/** Milliseconds for which a copy is used without a request. */
export const CACHE_FRESH_MS = 3_600_000;

/** Copies of parts of a list that are kept in a folder: the latest ones. */
const MAX_PARTS = 64;

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
export async function readCachedResponse(
  folder: string,
  url: string,
  isPart = false,
): Promise<CachedResponse | undefined> {
  try {
    const path = cachePath(folder, url, isPart);
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

/**
 * Stores a response. Of parts, the oldest ones beyond the limit are removed. If the folder cannot be written, nothing
 * is stored and no error is thrown.
 * @param isPart whether there may be any number of such responses, as for the filters that clients invent.
 */
export async function writeCachedResponse(
  folder: string,
  url: string,
  body: Buffer,
  validators: Validators,
  isPart = false,
): Promise<void> {
  const header: CacheHeader = { url, bytes: body.length, ...validators };
  try {
    const content = [`${JSON.stringify(header)}\n`, body];
    await writeWhole(cachePath(folder, url, isPart), content, { followsLinks: false, sync: false });
    if (isPart) await removeOldParts(folder);
  } catch {
    // A copy saves a request, and nothing depends on it.
  }
}

async function removeOldParts(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(PART_PREFIX) && name.endsWith(EXTENSION),
  );
  if (names.length <= MAX_PARTS) return;
  const parts = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      // Another process may have removed it.
      const file = await stat(path).catch(() => undefined);
      return { path, mtimeMs: file?.mtimeMs ?? 0 };
    }),
  );
  parts.sort((one, other) => other.mtimeMs - one.mtimeMs);
  await Promise.all(parts.slice(MAX_PARTS).map(({ path }) => rm(path, { force: true })));
}

/** Renews a copy's time after the service confirmed it as unchanged. */
export async function touchCachedResponse(folder: string, url: string, isPart = false): Promise<void> {
  const now = new Date();
  await utimes(cachePath(folder, url, isPart), now, now).catch(() => undefined);
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

const PART_PREFIX = 'part-';

function cachePath(folder: string, url: string, isPart: boolean): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 32);
  return join(folder, `${isPart ? PART_PREFIX : ''}${hash}${EXTENSION}`);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
