import { createHash } from 'node:crypto';
import { ERROR_TABLE, isSystemError, TickhaulError } from '../base/errors.js';
import { WorkerThread } from '../base/worker-thread.js';
import { DOWNLOAD_AGAIN, LARGE_TEXT_CHUNK_BYTES, type TextSink } from './gunzip.js';
import type { Md5Job, Md5Result } from './md5-worker.js';
import { type ReadChunks, readChunks } from './read-chunks.js';
import { type GzipReader, type GzipReadOptions, readGzip } from './read-gzip.js';

/** Size and checksum of a source, found while reading it. */
export interface SourceFacts {
  /** Compressed size. */
  readonly bytes: number;
  readonly md5: string;
}

/**
 * Reads a `.csv.gz` file to its end and passes its text to `onText`.
 * @param onBytes receives the number of compressed bytes of each chunk. @param read reads the file's bytes.
 * @param inflateThreads as in `GzipReadOptions`; with some, another one computes the checksum.
 * @throws like `readSourceText`.
 */
export async function readSource(
  path: string,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  read: ReadChunks = readChunks,
  inflateThreads?: number,
): Promise<SourceFacts> {
  const md5 = inflateThreads ? startMd5Thread() : startLocalMd5();
  let bytes = 0;
  const onChunk = (chunk: Buffer): Promise<void> | undefined => {
    bytes += chunk.length;
    onBytes(chunk.length);
    return md5.update(chunk);
  };
  try {
    const options = { read, textChunk: LARGE_TEXT_CHUNK_BYTES, inflateThreads };
    await readSourceText(path, { onBytes: onChunk, onText }, signal, options);
    return { bytes, md5: await md5.digest() };
  } finally {
    await md5.close();
  }
}

/**
 * Reads a `.csv.gz` file to its end.
 * @param options defaults to large chunks of a local file.
 * @throws TickhaulError `corrupt` with the path if it is not a complete gzip file, `unreadable`; what the
 * reader throws.
 */
export async function readSourceText(
  path: string,
  { onBytes, onText }: GzipReader,
  signal: AbortSignal,
  options?: GzipReadOptions,
): Promise<void> {
  let textError: unknown;
  const onCheckedText = async (text: Buffer): Promise<void> => {
    try {
      await onText(text);
    } catch (error) {
      textError = error;
      throw error;
    }
  };
  try {
    await readGzip(path, { onBytes, onText: onCheckedText }, signal, options);
  } catch (error) {
    if (error === textError) throw error;
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw toSourceError(error, path);
    throw new TickhaulError('corrupt', `${path}: ${error.message}; ${DOWNLOAD_AGAIN}`, {
      cause: error,
    });
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

/** Computes the md5 of bytes that arrive in chunks. */
interface Md5Pass {
  /** Takes a chunk; it may be overwritten afterwards. Resolves when the next one can be taken. */
  update(chunk: Buffer): Promise<void> | undefined;
  /** In hex digits. */
  digest(): Promise<string>;
  close(): Promise<void>;
}

/** Chunks that a thread has not processed yet. */
const MAX_PENDING_CHUNKS = 4;

/** Computes the md5 in the calling thread. */
function startLocalMd5(): Md5Pass {
  const md5 = createHash('md5');
  return {
    update(chunk) {
      md5.update(chunk);
      return undefined;
    },
    digest: async () => md5.digest('hex'),
    close: async () => {},
  };
}

/** Computes the md5 in a thread, which the caller must close. Errors of the thread are thrown by later calls. */
function startMd5Thread(): Md5Pass {
  const thread = new WorkerThread<Md5Job, Md5Result>(new URL('./md5-worker.js', import.meta.url), {
    name: 'checksum',
  });
  const pending: Promise<void>[] = [];
  /** Memory that the thread has returned: touching new memory takes longer than the copy. */
  const free: ArrayBuffer[] = [];
  const post = async (chunk: Buffer): Promise<void> => {
    const { length } = chunk;
    const used = free.pop();
    const memory = used && used.byteLength >= length ? used : new ArrayBuffer(length);
    const copy = new Uint8Array(memory, 0, length);
    copy.set(chunk);
    const returned = await thread.run(copy, { transfer: [memory] });
    if (typeof returned !== 'string') free.push(returned.buffer);
  };
  return {
    update(chunk) {
      const taken = post(chunk);
      taken.catch(() => {});
      pending.push(taken);
      return pending.length > MAX_PENDING_CHUNKS ? pending.shift() : undefined;
    },
    async digest() {
      const digest = await thread.run('digest');
      if (typeof digest !== 'string') throw new Error('the checksum thread returned no checksum');
      return digest;
    },
    close: () => thread.close(),
  };
}
