import { availableParallelism } from 'node:os';
import { crc32 } from 'node:zlib';
import { type ReadChunks, readChunks } from '../base/disk-files.js';
import { ERROR_TABLE, isSystemError, TickhaulError } from '../base/errors.js';
import { startIfSupported } from '../base/wasm.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { ChecksumJob, ChecksumResult } from './checksum-worker.js';
import { type BytesFacts, Checksums, type HashName } from './checksums.js';
import {
  DOWNLOAD_AGAIN,
  type GunzipPass,
  LARGE_TEXT_CHUNK_BYTES,
  startGunzip,
  type TextSink,
} from './gunzip.js';
import { InflatePass } from './inflate/inflate-pass.js';
import { InflateRefusal, type PassedText } from './inflate/inflated-text.js';
import { TokenPass } from './inflate/token-pass.js';

/** How a gzip file is read, and what of it is passed on. */
export interface GzipReadOptions<Name extends HashName = never> {
  /** Checksums of the compressed bytes, for the result. Another thread computes them if others inflate. */
  readonly hashes?: readonly Name[] | undefined;
  /** Receives compressed bytes, which are overwritten afterwards. */
  readonly onChunk?: ((chunk: Buffer) => void) | undefined;
  /** Receives the text. A chunk stays valid until the returned promise resolves. */
  readonly onText: TextSink;
  /** Reads the file's bytes; may be called twice. By default, it is a local file. */
  readonly read?: ReadChunks | undefined;
  /** Maximum size of a text chunk. */
  readonly textChunk?: number | undefined;
  /**
   * Number of threads that inflate the file for the calling thread. With 0, it inflates the file itself. By
   * default, one of zlib's threads does.
   */
  readonly inflateThreads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file that is read, perhaps twice. */
interface Reading extends Pick<GzipReadOptions, 'onText' | 'signal'> {
  readonly path: string;
  readonly read: ReadChunks;
  readonly textChunk: number;
  /** The next chunk waits for the returned promise. */
  readonly onChunk: (chunk: Buffer) => Promise<void> | void;
}

/** Bytes at the start of a file, and their CRC-32. */
interface SeenBytes {
  count: number;
  crc: number;
}

/**
 * Reads a whole gzip file. If the inflate kernel refuses it, zlib reads it again from its start, and its result
 * is final.
 * @returns its compressed size, and the checksums.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file, `disk`; the abort reason; errors of the functions
 * in the options.
 */
export async function readGzip<Name extends HashName = never>(
  path: string,
  options: GzipReadOptions<Name>,
): Promise<BytesFacts<Name>> {
  const { hashes = [], onText, read = readChunks, inflateThreads, signal } = options;
  const { textChunk = LARGE_TEXT_CHUNK_BYTES } = options;
  const thread = inflateThreads && hashes.length > 0 ? new ChecksumThread(hashes) : undefined;
  const checksums = thread ?? new Checksums(hashes);
  const onChunk = (chunk: Buffer): Promise<void> | void => {
    options.onChunk?.(chunk);
    return checksums.add(chunk);
  };
  try {
    await inflate({ path, onChunk, onText, read, textChunk, signal }, inflateThreads);
    return await checksums.finish();
  } finally {
    await thread?.close();
  }
}

/** Chunks that a thread has not processed yet. */
const MAX_PENDING_CHUNKS = 4;

/** `Checksums` in another thread, which the caller must close. Its errors are thrown by later calls. */
class ChecksumThread<Name extends HashName> {
  readonly #thread: WorkerThread<ChecksumJob, ChecksumResult>;
  readonly #pending: Promise<void>[] = [];
  /** Memory that the thread has returned: touching new memory takes longer than the copy. */
  readonly #free: ArrayBuffer[] = [];

  constructor(names: readonly Name[]) {
    const url = new URL('./checksum-worker.js', import.meta.url);
    this.#thread = new WorkerThread(url, { name: 'checksum', workerData: names });
  }

  /** Takes a chunk; it may be overwritten afterwards. Resolves when the next one can be taken. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    const taken = this.#post(chunk);
    taken.catch(() => {});
    this.#pending.push(taken);
    return this.#pending.length > MAX_PENDING_CHUNKS ? this.#pending.shift() : undefined;
  }

  async finish(): Promise<BytesFacts<Name>> {
    const facts = await this.#thread.run('finish');
    if (facts instanceof Uint8Array) throw new Error('the checksum thread returned no checksum');
    return facts;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #post(chunk: Uint8Array): Promise<void> {
    const { length } = chunk;
    const used = this.#free.pop();
    const memory = used && used.byteLength >= length ? used : new ArrayBuffer(length);
    const copy = new Uint8Array(memory, 0, length);
    copy.set(chunk);
    const returned = await this.#thread.run(copy, { transfer: [memory] });
    if (returned instanceof Uint8Array) this.#free.push(returned.buffer);
  }
}

async function inflate(reading: Reading, inflateThreads: number | undefined): Promise<void> {
  const { onText, textChunk } = reading;
  const startZlib = (): GunzipPass => startGunzip(onText, textChunk);
  if (inflateThreads === undefined) return readWith(startZlib(), reading);
  const startKernel = (): GunzipPass =>
    inflateThreads > 0 ? new TokenPass(onText, inflateThreads) : new InflatePass(onText, textChunk);
  const seen: SeenBytes = { count: 0, crc: 0 };
  const onChunk = (chunk: Buffer): Promise<void> | void => {
    seen.count += chunk.length;
    seen.crc = crc32(chunk, seen.crc);
    return reading.onChunk(chunk);
  };
  try {
    await readWith(startIfSupported(startKernel) ?? startZlib(), { ...reading, onChunk });
  } catch (error) {
    if (!(error instanceof InflateRefusal)) throw error;
    await readByZlib(reading, seen, error.passed);
  }
}

async function readWith(pass: GunzipPass, { path, read, onChunk, signal }: Reading): Promise<void> {
  try {
    await read(
      path,
      async (chunk) => {
        // Other threads inflate the chunk while this thread processes its compressed bytes.
        const used = pass.write(chunk);
        // Both must have ended before the pass is destroyed.
        const results = await Promise.allSettled([used, (async () => onChunk(chunk))()]);
        const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
        if (errors.length > 0) throw errors.find((error) => !(error instanceof InflateRefusal)) ?? errors[0];
      },
      signal,
    );
    await pass.finish();
  } finally {
    await pass.destroy();
  }
}

/**
 * Reads a gzip file with zlib.
 * @param seen bytes at its start that were passed on already.
 * @param passed text at its start that was passed on already.
 */
async function readByZlib(reading: Reading, seen: SeenBytes, passed: PassedText): Promise<void> {
  const { path, onText, textChunk } = reading;
  const skipper = createTextSkipper(passed);
  const pass = startGunzip((text) => {
    const rest = skipper.skip(text);
    return rest.length > 0 ? onText(rest) : undefined;
  }, textChunk);
  let bytes = 0;
  let crc = 0;
  const onChunk = (chunk: Buffer): Promise<void> | void => {
    const seenBytes = Math.max(0, Math.min(chunk.length, seen.count - bytes));
    crc = crc32(chunk.subarray(0, seenBytes), crc);
    bytes += chunk.length;
    if (seenBytes > 0 && bytes >= seen.count && crc !== seen.crc) throw createReplacedError(path);
    const rest = chunk.subarray(seenBytes);
    return rest.length > 0 ? reading.onChunk(rest) : undefined;
  };
  await readWith(pass, { ...reading, onChunk });
  if (bytes < seen.count) throw createReplacedError(path);
  // The bytes were the same.
  if (skipper.hasDiffered()) throw new Error(`${path}: the inflate kernel and zlib give different text`);
}

function createReplacedError(path: string): TickhaulError {
  return new TickhaulError('changed', `${path}: replaced while it was read; run the same command again`);
}

interface TextSkipper {
  /** Returns what follows the passed text in a chunk; nothing once the text has differed. */
  skip(text: Buffer): Buffer;
  hasDiffered(): boolean;
}

function createTextSkipper({ bytes, uncheckedBytes, uncheckedCrc }: PassedText): TextSkipper {
  const uncheckedStart = bytes - uncheckedBytes;
  let at = 0;
  let crc = 0;
  let hasDiffered = false;
  return {
    skip(text) {
      if (at < bytes) crc = crc32(text.subarray(Math.max(0, uncheckedStart - at), bytes - at), crc);
      const skipped = Math.min(text.length, bytes - at);
      at += skipped;
      hasDiffered ||= skipped > 0 && at === bytes && crc !== uncheckedCrc;
      return text.subarray(hasDiffered ? text.length : skipped);
    },
    hasDiffered: () => hasDiffered,
  };
}

/**
 * How a thread inflates while others of the same run work, as in `GzipReadOptions`: itself if they use all
 * processors, otherwise with zlib's threads, which use the others.
 * @param busyThreads threads that work, this one included.
 */
export function chooseInflateThreads(busyThreads: number): 0 | undefined {
  return busyThreads >= availableParallelism() ? 0 : undefined;
}

/**
 * Reads a `.csv.gz` file to its end as `readGzip` does, with errors for the user.
 * @throws TickhaulError `corrupt` with the path if it is not a complete gzip file, `unreadable`; the abort reason; errors
 * of the functions in the options.
 */
export async function readSource<Name extends HashName = never>(
  path: string,
  options: GzipReadOptions<Name>,
): Promise<BytesFacts<Name>> {
  let textError: unknown;
  const onText = async (text: Buffer): Promise<void> => {
    try {
      await options.onText(text);
    } catch (error) {
      textError = error;
      throw error;
    }
  };
  try {
    return await readGzip(path, { ...options, onText });
  } catch (error) {
    if (error === textError) throw error;
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw toSourceError(error, path);
    throw new TickhaulError('corrupt', `${path}: ${error.message}; ${DOWNLOAD_AGAIN}`, { cause: error });
  }
}

const SYSTEM_ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOENT: 'it no longer exists',
  EISDIR: 'it is a folder',
};

/**
 * Converts a system error of reading a source to `unreadable`, which affects no other file. Returns other
 * errors unchanged, including those of an object store.
 */
export function toSourceError(error: unknown, path: string): unknown {
  const isTickhaulError = error instanceof TickhaulError;
  const cause = isTickhaulError ? error.cause : error;
  if (!isSystemError(cause) || (isTickhaulError && error.exitCode !== ERROR_TABLE.disk.exitCode))
    return error;
  return new TickhaulError(
    'unreadable',
    `cannot read ${path}: ${SYSTEM_ERROR_REASONS[cause.code] ?? cause.code}`,
    {
      cause,
    },
  );
}
