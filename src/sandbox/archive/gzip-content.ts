import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LruMap } from './lru-map.js';

const GZIP_LEVEL = 4;
const READ_BYTES = 262_144;

/** A complete gzip file to serve. */
export interface GzipContent {
  readonly bytes: number;
  /** In hex digits. */
  readonly md5: string;
  /** Bytes of memory that the content occupies. */
  readonly memoryBytes: number;
  /** @param end offset, not included. */
  read(start: number, end: number): Readable;
}

export function createMemoryContent(bytes: Buffer): GzipContent {
  return {
    bytes: bytes.length,
    md5: createHash('md5').update(bytes).digest('hex'),
    memoryBytes: bytes.length,
    read: (start, end) => Readable.from([bytes.subarray(start, end)]),
  };
}

/** Opens a gzip file on disk, and reads it once for its size and MD5. */
export async function openFileContent(path: string, signal: AbortSignal): Promise<GzipContent> {
  const meter = new Meter();
  await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), meter.pass, drain, { signal });
  return createDiskContent(path, meter);
}

/** Compresses text into memory. */
export async function compressToMemory(text: Iterable<string>): Promise<GzipContent> {
  const chunks: Buffer[] = [];
  await pipeline(
    Readable.from(text),
    createGzip({ level: GZIP_LEVEL }),
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) chunks.push(chunk);
    },
  );
  return createMemoryContent(Buffer.concat(chunks));
}

/** Compresses text or bytes into a file, in constant memory. */
export async function compressToFile(
  text: Iterable<string> | AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<GzipContent> {
  const meter = new Meter();
  await pipeline(
    Readable.from(text),
    createGzip({ level: GZIP_LEVEL, chunkSize: READ_BYTES }),
    meter.pass,
    createWriteStream(path),
    { signal },
  );
  return createDiskContent(path, meter);
}

/** Counts and hashes the bytes of a stream. */
class Meter {
  size = 0;
  readonly #hash = createHash('md5');

  readonly pass = async function* (this: Meter, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.size += chunk.length;
      this.#hash.update(chunk);
      yield chunk;
    }
  }.bind(this);

  md5(): string {
    return this.#hash.digest('hex');
  }
}

async function drain(source: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of source);
}

function createDiskContent(path: string, meter: Meter): GzipContent {
  return {
    bytes: meter.size,
    md5: meter.md5(),
    memoryBytes: 0,
    read: (start, end) =>
      end > start
        ? createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES })
        : Readable.from([]),
  };
}

/** Returns the content of a key, and creates it if necessary. Concurrent calls create it once. */
export type GetContent = (key: string, create: () => Promise<GzipContent>) => Promise<GzipContent>;

/** Caches contents. @param maxBytes bytes of memory; contents on disk count as 0. */
export function createContentCache(maxBytes: number): GetContent {
  const contents = new LruMap<GzipContent>(maxBytes, ({ memoryBytes }) => memoryBytes);
  const pending = new Map<string, Promise<GzipContent>>();
  return async (key, create) => {
    const cached = contents.get(key) ?? pending.get(key);
    if (cached) return cached;
    const creating = create();
    pending.set(key, creating);
    try {
      const content = await creating;
      contents.set(key, content);
      return content;
    } finally {
      pending.delete(key);
    }
  };
}
