import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { TransformOptions } from 'node:stream';
import { createGunzip, type Gunzip, type ZlibOptions } from 'node:zlib';
import { abortReason, diskError, TickhaulError } from '../errors.js';
import { countLines } from './count-lines.js';
import { describeGzipError, HEAD_BYTES } from './gzip-error.js';
import type { Proof } from './types.js';

export interface ProofOptions {
  /** Is given the gunzipped text chunk by chunk; a promise holds the next chunk back. */
  readonly onText?: ((chunk: Buffer) => void | Promise<void>) | undefined;
}

/** One pass over the bytes of a day file. Every method but destroy throws `corrupt` once that is what they are. */
export interface ProofPass {
  /** Resolves when more may be written. Not to be called again before that; the chunk must stay unchanged till then. */
  write(chunk: Buffer): Promise<void>;
  /** To be called after the last byte. */
  finish(): Promise<Proof>;
  /** Breaks the pass off and frees its memory; may be called at any time, and more than once. */
  destroy(): void;
}

// A buffer holds many small outputs, and the pages nobody wrote to cost nothing.
const TEXT_CHUNK = 256 * 1024;
const READ_CHUNK = 1024 * 1024;
// A high-water mark of 1 makes each write wait until its chunk is used up.
const GUNZIP: ZlibOptions & TransformOptions = { chunkSize: TEXT_CHUNK, highWaterMark: 1 };
const LF = 0x0a;

export function startProof(options: ProofOptions = {}): ProofPass {
  return new GzipProof(options.onText);
}

/**
 * Proves a file on disk.
 * @throws TickhaulError `corrupt` when it isn't a whole gzip file, `disk` when it can't be read.
 */
export async function proveFile(path: string, signal?: AbortSignal): Promise<Proof> {
  const pass = startProof();
  try {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK, size + 1));
      for (;;) {
        if (signal?.aborted) throw abortReason(signal);
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return await pass.finish();
        await pass.write(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw diskError(error, path);
  } finally {
    pass.destroy();
  }
}

class GzipProof implements ProofPass {
  readonly #gunzip: Gunzip;
  readonly #md5 = createHash('md5');
  readonly #sha256 = createHash('sha256');
  #head: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #lines = 0;
  #endsInLine = false;
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(onText: ProofOptions['onText']) {
    this.#gunzip = createGunzip(GUNZIP);
    this.#gunzip.on('data', (text: Buffer) => {
      this.#lines += countLines(text);
      this.#endsInLine = text[text.length - 1] !== LF;
      if (onText !== undefined) void this.#handOver(text, onText);
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
    // The decompressor works in a thread of its own while this one hashes.
    const used = this.#next();
    this.#gunzip.write(chunk);
    this.#md5.update(chunk);
    this.#sha256.update(chunk);
    await used;
    this.#check();
  }

  async finish(): Promise<Proof> {
    this.#check();
    if (this.#bytes === 0) this.#fail(new TickhaulError('corrupt', 'empty body'));
    else {
      const used = this.#next();
      this.#gunzip.end();
      await used;
    }
    this.#ended &&= this.#gunzip.bytesWritten < this.#bytes;
    this.#check();
    this.#gunzip.destroy();
    return {
      bytes: this.#bytes,
      md5: this.#md5.digest('hex'),
      sha256: this.#sha256.digest('hex'),
      rows: Math.max(0, this.#lines + (this.#endsInLine ? 1 : 0) - 1),
    };
  }

  destroy(): void {
    this.#fail(new TickhaulError('interrupted', 'the check of a gzip stream was broken off'));
  }

  async #handOver(text: Buffer, onText: NonNullable<ProofOptions['onText']>): Promise<void> {
    try {
      const used = onText(text);
      if (used === undefined) return;
      this.#gunzip.pause();
      await used;
      this.#gunzip.resume();
    } catch (error) {
      this.#fail(error);
    }
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
        new TickhaulError('corrupt', `${this.#bytes - used} bytes after the last gzip member (byte ${used})`),
      );
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}
