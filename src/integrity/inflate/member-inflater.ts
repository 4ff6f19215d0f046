import { crc32 } from 'node:zlib';
import type { InflateKernel } from './kernel.js';
import { type ByteReader, memberHeader, memberTrailer } from './member.js';

/** The kernel takes a file for no gzip file. That is no verdict: Node's zlib has the last word. */
export class InflateRefusal extends Error {
  /** Bytes of text that were given. */
  readonly given: number;
  /** Bytes of text in members whose checksums were right; those of them that weren't given too. */
  readonly proven: number;
  /** Checksum of the text from `proven` to `given`. */
  readonly crc: number;

  constructor({ given, proven, crc }: Pick<InflateRefusal, 'given' | 'proven' | 'crc'>) {
    super('the inflate kernel refuses the file');
    this.given = given;
    this.proven = proven;
    this.crc = crc;
  }
}

/**
 * Inflates a file of gzip members, one behind the other and nothing more (RFC 1952). Its text comes in the chunks
 * that `startGunzip` gives too: where one is full, and where the compressed bytes are used up.
 */
export class MemberInflater {
  readonly #kernel: InflateKernel;
  readonly #chunkSize: number;
  /** Of a header, or of a trailer; undefined inside a DEFLATE stream. */
  #reader: ByteReader | undefined;
  #isTrailer = false;
  /** Whether the file may end here. */
  #isWhole = false;
  /** Bytes of the kernel's chunk that were given. */
  #chunkGiven = 0;
  #given = 0;
  #proven = 0;
  #crc = 0;

  /** @param chunkSize bytes of text that come at once, at most. */
  constructor(kernel: InflateKernel, chunkSize: number) {
    this.#kernel = kernel;
    this.#chunkSize = chunkSize;
    kernel.beginChunk(chunkSize);
    this.#expectHeader();
  }

  /** Takes the next bytes of the file, and gives text, each chunk good until the next one. @throws InflateRefusal */
  *take(bytes: Buffer): Generator<Buffer, void> {
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#isWhole && rest[0] === 0) {
        yield* this.#give();
        throw this.#refusal();
      }
      rest = this.#reader ? this.#read(rest, this.#reader) : yield* this.#inflate(rest);
    }
    yield* this.#give();
  }

  /** To be called after the last byte. @throws InflateRefusal where the file isn't whole. */
  finish(): void {
    if (!this.#isWhole) throw this.#refusal();
  }

  *#inflate(bytes: Buffer): Generator<Buffer, Buffer> {
    const kernel = this.#kernel;
    kernel.feed(bytes);
    for (;;) {
      const stop = kernel.run();
      if (stop === 'refused') throw this.#refusal();
      if (stop === 'ended') this.#expectTrailer();
      if (stop !== 'full') return bytes.subarray(kernel.used);
      yield* this.#give();
      kernel.beginChunk(this.#chunkSize);
      this.#chunkGiven = 0;
    }
  }

  /** Gives what there is. */
  *#give(): Generator<Buffer, void> {
    const text = this.#newText();
    if (text.length === 0) return;
    this.#crc = this.#crcWith(text);
    this.#chunkGiven += text.length;
    this.#given += text.length;
    yield text;
  }

  /** Text that wasn't given yet. */
  #newText(): Buffer {
    return this.#kernel.text.subarray(this.#chunkGiven);
  }

  /** The present member's checksum, with that of the new text which belongs to it. */
  #crcWith(text: Buffer): number {
    return crc32(text.subarray(Math.max(0, this.#proven - this.#given)), this.#crc);
  }

  /** Reads on in a header or a trailer; returns the bytes behind it. */
  #read(bytes: Buffer, reader: ByteReader): Buffer {
    this.#isWhole = false;
    for (let at = 0; at < bytes.length; at++) {
      const { done, value } = reader.next(bytes[at] ?? 0);
      if (!done) continue;
      if (!value) throw this.#refusal();
      if (this.#isTrailer) this.#endMember();
      else this.#beginStream();
      return bytes.subarray(at + 1);
    }
    return bytes.subarray(bytes.length);
  }

  #expectHeader(): void {
    this.#isTrailer = false;
    this.#expect(memberHeader());
  }

  #beginStream(): void {
    this.#reader = undefined;
    this.#kernel.start();
  }

  #expectTrailer(): void {
    const text = this.#newText();
    this.#isTrailer = true;
    this.#expect(memberTrailer(this.#crcWith(text), this.#given + text.length - this.#proven));
  }

  #endMember(): void {
    this.#proven = this.#given + this.#newText().length;
    this.#crc = 0;
    this.#isWhole = true;
    this.#expectHeader();
  }

  /** A generator waits for its first byte once it was asked for one. */
  #expect(reader: ByteReader): void {
    reader.next(0);
    this.#reader = reader;
  }

  #refusal(): InflateRefusal {
    return new InflateRefusal({ given: this.#given, proven: this.#proven, crc: this.#crc });
  }
}
