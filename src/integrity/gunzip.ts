import type { TransformOptions } from 'node:stream';
import { createGunzip, type Gunzip, type ZlibOptions } from 'node:zlib';
import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { describeGzipError, HEAD_BYTES } from './describe-gzip-error.js';

/** Takes gunzipped text chunk by chunk; a promise holds the next chunk back. */
export type TextSink = (chunk: Buffer) => void | Promise<void>;

/**
 * Gunzips a stream that has to be a whole gzip file and nothing more. Every method but destroy throws `createCorruptError`
 * once it can't be one, and whatever the text's sink threw.
 */
export interface GunzipPass {
  /** Resolves when more may be written. Not to be called again before that; the chunk must stay unchanged till then. */
  write(chunk: Buffer): Promise<void>;
  /** To be called after the last byte. */
  finish(): Promise<void>;
  /**
   * Breaks the pass off and frees its memory; may be called at any time, and more than once. Resolves when the text's
   * sink has none any more.
   */
  destroy(): Promise<void>;
}

/** Bytes. A buffer holds many small outputs, and the pages nobody wrote to cost nothing. */
export const TEXT_CHUNK_BYTES = 256 * 1024;
/** Bytes. A tenth faster, for those that run no more at once than there are processors. */
export const LARGE_TEXT_CHUNK_BYTES = 1024 * 1024;
// A high-water mark of 1 makes each write wait until its chunk is used up.
const GUNZIP_OPTIONS: ZlibOptions & TransformOptions = { highWaterMark: 1 };

/** @param chunkSize bytes of text that come at once, at most. */
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
  /** Resolves when the sink is done with the last text. */
  #handedOver: Promise<void> = Promise.resolve();

  constructor(onText: TextSink, chunkSize: number) {
    this.#gunzip = createGunzip({ ...GUNZIP_OPTIONS, chunkSize });
    this.#gunzip.on('data', (text: Buffer) => {
      this.#handedOver = this.#handOver(text, onText);
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
    await this.#sinkLeft();
    this.#check();
  }

  async finish(): Promise<void> {
    this.#check();
    if (this.#bytes === 0) this.#fail(new TickhaulError('corrupt', 'empty body'));
    else {
      const used = this.#next();
      this.#gunzip.end();
      await used;
      await this.#sinkLeft();
    }
    this.#ended &&= this.#gunzip.bytesWritten < this.#bytes;
    this.#check();
    this.#gunzip.destroy();
  }

  destroy(): Promise<void> {
    // A stack is taken for each error, of which a run that checks many small files would notice.
    if (this.#gunzip.destroyed) return this.#handedOver;
    this.#fail(new TickhaulError('interrupted', 'the check of a gzip stream was broken off'));
    return this.#handedOver;
  }

  /** zlib goes on to the next text once its event is through, in a thread of its own: so this one's use waits for that. */
  async #handOver(text: Buffer, onText: TextSink): Promise<void> {
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

  /** What is wrong is told when the sink has no text any more: its owner clears up after it then. */
  async #sinkLeft(): Promise<void> {
    if (this.#failure !== undefined) await this.#handedOver;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The first reason wins. */
  #fail(reason: unknown): void {
    this.#failure ??= reason;
    this.#gunzip.destroy();
    this.#wake?.();
  }

  /**
   * Before its input is ended, zlib's stream ends only at a zero byte after a member: it takes that for
   * padding, drops the rest, and says so nowhere but in its count of used bytes.
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
