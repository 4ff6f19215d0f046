import type { TransformOptions } from 'node:stream';
import { createGunzip, type Gunzip, type ZlibOptions } from 'node:zlib';
import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { describeGzipError, HEAD_BYTES } from './describe-gzip-error.js';

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
