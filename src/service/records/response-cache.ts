import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../base/create-folder.js';

/** How long, in milliseconds, a copy is used without asking the service. */
export const CACHE_FRESH_MS = 3_600_000;

/** What an answer can be asked for again by: "has it changed since?" (RFC 9110, section 13.1). */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** A stored answer. */
export interface CachedResponse extends Validators {
  readonly body: Buffer;
  /** Milliseconds since it was fetched or last found unchanged. */
  readonly ageMs: number;
}

interface CacheHeader {
  readonly url: string;
  readonly bytes: number;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/**
 * The stored answer of this URL, or undefined. A file is one line of JSON and then the body as it came; its
 * time of change is when it was fetched. Whatever is wrong with it, it counts as not there.
 */
export async function readCachedResponse(folder: string, url: string): Promise<CachedResponse | undefined> {
  try {
    const path = cachePath(folder, url);
    const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
    const end = bytes.indexOf('\n');
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as CacheHeader;
    const body = bytes.subarray(end + 1);
    if (head.url !== url || head.bytes !== body.length) return undefined;
    const ageMs = Date.now() - mtimeMs;
    return { body, ageMs, etag: text(head.etag), lastModified: text(head.lastModified) };
  } catch {
    return undefined;
  }
}

/** Whether a copy may be used as it is; one from the future (a clock was set) may not. */
export function isFresh({ ageMs }: CachedResponse): boolean {
  return ageMs > -1000 && ageMs < CACHE_FRESH_MS;
}

/** Stores an answer. A folder that cannot be written is no obstacle: then there is no copy. */
export async function writeCachedResponse(
  folder: string,
  url: string,
  body: Buffer,
  validators: Validators,
): Promise<void> {
  const path = cachePath(folder, url);
  const temporary = `${path}.${randomUUID()}.tmp`;
  const head: CacheHeader = { url, bytes: body.length, ...validators };
  try {
    await createFolder(folder);
    await writeFile(temporary, [`${JSON.stringify(head)}\n`, body]);
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Notes that the service just called the copy unchanged. */
export async function touchCachedResponse(folder: string, url: string): Promise<void> {
  const now = new Date();
  await utimes(cachePath(folder, url), now, now).catch(() => undefined);
}

/** Bytes that hold any head. */
const HEADER_BYTES = 4096;

/** The URLs whose answers are stored, in any order; none where the folder can't be read. */
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
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      const [head = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
      return text((JSON.parse(head) as CacheHeader).url);
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

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
