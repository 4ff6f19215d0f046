import type { TransformOptions } from 'node:stream';
import { constants, createGunzip, type Gunzip, gunzipSync, type ZlibOptions } from 'node:zlib';
import { isSystemError, TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';

/** Receives gunzipped text in chunks. The next chunk waits for the returned promise. */
export type TextSink = (chunk: Buffer) => void | Promise<void>;

/**
 * Gunzips a stream that must be a complete gzip file and nothing more. All methods except `destroy` throw
 * `corrupt` as soon as it cannot be one, and any error of the text sink.
 */
export interface GunzipPass {
  /** Resolves when the chunk is used up; until then, do not change it or call `write` again. */
  write(chunk: Buffer): Promise<void>;
  /** Call it after the last byte. */
  finish(): Promise<void>;
  /**
   * Ends the pass and frees its memory. May be called at any time, and repeatedly. Resolves when the text
   * sink is no longer running.
   */
  destroy(): Promise<void>;
}

/** Default size of text chunks. A buffer holds many small outputs; unused pages of it cost nothing. */
export const TEXT_CHUNK_BYTES = 256 * 1024;
/** A tenth faster, if there are no more streams than processors. */
export const LARGE_TEXT_CHUNK_BYTES = 1024 * 1024;
// With a high-water mark of 1, each write waits until its chunk is used up.
const GUNZIP_OPTIONS: ZlibOptions & TransformOptions = { highWaterMark: 1 };

/** @param chunkSize maximum size of a text chunk, in bytes. */
export function startGunzip(onText: TextSink, chunkSize: number = TEXT_CHUNK_BYTES): GunzipPass {
  return new CheckedGunzip(onText, chunkSize);
}

class CheckedGunzip implements GunzipPass {
  readonly #gunzip: Gunzip;
  #head: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;
  /** Resolves when the sink has finished with the last text. */
  #lastDelivery: Promise<void> = Promise.resolve();

  constructor(onText: TextSink, chunkSize: number) {
    this.#gunzip = createGunzip({ ...GUNZIP_OPTIONS, chunkSize });
    this.#gunzip.on('data', (text: Buffer) => {
      this.#lastDelivery = this.#deliver(text, onText);
    });
    this.#gunzip.on('drain', () => this.#wake?.());
    this.#gunzip.on('end', () => {
      this.#ended = true;
      this.#wake?.();
    });
    this.#gunzip.on('error', (error) => {
      this.#fail(new TickhaulError('corrupt', describeGzipError(error, this.#head, this.#bytes)));
    });
  }

  async write(chunk: Buffer): Promise<void> {
    this.#check();
    if (chunk.length === 0) return;
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    this.#bytes += chunk.length;
    const used = this.#next();
    this.#gunzip.write(chunk);
    await used;
    await this.#waitForSinkAfterFailure();
    this.#check();
  }

  async finish(): Promise<void> {
    this.#check();
    if (this.#bytes === 0) this.#fail(new TickhaulError('corrupt', 'empty body'));
    else {
      const used = this.#next();
      this.#gunzip.end();
      await used;
      await this.#waitForSinkAfterFailure();
    }
    this.#ended &&= this.#gunzip.bytesWritten < this.#bytes;
    this.#check();
    this.#gunzip.destroy();
  }

  destroy(): Promise<void> {
    // Creating an error captures a stack, which is measurable in a run that checks many small files.
    if (this.#gunzip.destroyed) return this.#lastDelivery;
    this.#fail(new TickhaulError('interrupted', 'the check of a gzip stream was aborted'));
    return this.#lastDelivery;
  }

  /**
   * zlib starts on the next text, in its own thread, only after this event has returned: so wait before using
   * the text.
   */
  async #deliver(text: Buffer, onText: TextSink): Promise<void> {
    this.#gunzip.pause();
    await undefined;
    if (this.#failure !== undefined) return;
    try {
      await onText(text);
      this.#gunzip.resume();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Errors are thrown only after the sink has finished, since its owner then frees its resources. */
  async #waitForSinkAfterFailure(): Promise<void> {
    if (this.#failure !== undefined) await this.#lastDelivery;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Only the first reason counts. */
  #fail(reason: unknown): void {
    this.#failure ??= reason;
    this.#gunzip.destroy();
    this.#wake?.();
  }

  /**
   * Before the end of input, zlib's stream ends only at a zero byte after a member. It takes that byte for
   * padding and ignores the rest; only its count of used bytes shows this.
   */
  #check(): void {
    if (this.#ended) {
      const used = this.#gunzip.bytesWritten;
      this.#fail(
        new TickhaulError(
          'corrupt',
          `${plural(this.#bytes - used, 'byte')} after the last gzip member (byte ${used})`,
        ),
      );
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}

const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 256 * 1024;
/** Length of the trailer of a gzip member: checksum and text length (RFC 1952, section 2.3.1). */
const TRAILER_BYTES = 8;

/** Result of `gunzipSync` with the option `info`, which Node's types lack. */
interface GunzipInfo {
  readonly buffer: Buffer;
  /** Compressed bytes that were used. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Gunzips a small file in memory at once, which is faster than a stream. As with `startGunzip`, the bytes
 * must be a complete gzip file and nothing more.
 * @returns undefined if the text is larger than `maxTextBytes`.
 * @throws TickhaulError `corrupt`.
 */
export function gunzipBytes(bytes: Buffer, maxTextBytes: number): Buffer | undefined {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  try {
    const options = { chunkSize: chooseChunkBytes(bytes), maxOutputLength: maxTextBytes, info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as GunzipInfo;
    // zlib takes a zero byte after a member for padding, and ignores the rest without an error.
    if (engine.bytesWritten === bytes.length) return buffer;
    const used = engine.bytesWritten;
    throw new TickhaulError(
      'corrupt',
      `${plural(bytes.length - used, 'byte')} after the last gzip member (byte ${used})`,
    );
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    if (error.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new TickhaulError('corrupt', describeGzipError(error, bytes.subarray(0, HEAD_BYTES), bytes.length));
  }
}

/** Gunzips the start of a file, as far as its bytes go. @throws TickhaulError `corrupt`. */
export function gunzipStart(bytes: Buffer): Buffer {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new TickhaulError('corrupt', describeGzipError(error, bytes.subarray(0, HEAD_BYTES), bytes.length));
  }
}

/**
 * The text length in the trailer, with room for a header in a member before it. It is exact for a file of one member:
 * too large a buffer is slow to allocate.
 */
function chooseChunkBytes(bytes: Buffer): number {
  const length = bytes.length < TRAILER_BYTES ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(length + MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
}

/** Bytes at the start of a stream that `describeGzipError` needs. */
const HEAD_BYTES = 16;

/**
 * Advice in errors about the content of a day file. Without the flag, a download trusts a file of the recorded size,
 * and a repair trusts recorded bytes, however bad they are.
 */
export const DOWNLOAD_AGAIN = 'download the file again with --existing overwrite';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

const ZLIB_MESSAGES: Readonly<Record<string, string>> = {
  'incorrect data check': 'wrong gzip checksum',
  'incorrect length check': 'wrong length in the gzip trailer',
  // The header of the first member was valid: these bytes follow a complete member.
  'incorrect header check': 'bytes after the last gzip member',
};

/**
 * Describes zlib's error.
 * @param head the first bytes of the file. @param bytes number of bytes read so far.
 */
function describeGzipError(error: Error, head: Buffer, bytes: number): string {
  if (!GZIP_MAGIC.subarray(0, head.length).equals(head.subarray(0, GZIP_MAGIC.length))) {
    return `not a gzip file: begins with ${JSON.stringify(describeHead(head))}`;
  }
  if (isSystemError(error) && error.code === 'Z_BUF_ERROR')
    return `the gzip stream ends early after ${plural(bytes, 'byte')}`;
  return ZLIB_MESSAGES[error.message] ?? `damaged gzip stream: ${error.message}`;
}

function describeHead(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/[^ -~]+/g, '.')
    .trim();
}
