import type { GunzipPass, TextSink } from '../gunzip.js';
import { readMemberHeader, readMemberTrailer, TRAILER_BYTES } from './gzip-member.js';
import { InflatedText } from './inflated-text.js';
import { Inflater, InflateStatus } from './inflater.js';

/** Part of a member that comes next. */
type State = 'header' | 'data' | 'trailer';

/** The inflater that was used last in this thread, for the next file. */
let idle: Inflater | undefined;

function takeInflater(textChunk: number): Inflater {
  const taken = idle?.textChunk === textChunk ? idle : new Inflater(textChunk);
  if (taken === idle) idle = undefined;
  taken.dropInput();
  return taken;
}

/**
 * Inflates a gzip file (RFC 1952) of any number of members in this thread. Each member's checksum and length
 * are compared.
 */
export class InflatePass implements GunzipPass {
  readonly #inflater: Inflater;
  readonly #text: InflatedText;
  #state: State = 'header';
  #members = 0;

  /**
   * @param onText receives text that stays valid until the returned promise resolves.
   * @param textChunk maximum size of a text chunk, in bytes.
   */
  constructor(onText: TextSink, textChunk: number) {
    const inflater = takeInflater(textChunk);
    this.#inflater = inflater;
    const { module, bytes, textAddress } = inflater;
    this.#text = new InflatedText(module, bytes, textAddress, textChunk, onText);
  }

  /** Resolves when the chunk is used up. @throws InflateRefusal; what the text sink throws. */
  async write(chunk: Buffer): Promise<void> {
    for (let used = 0; used < chunk.length; ) {
      const added = this.#inflater.addInput(chunk.subarray(used));
      // A header that is longer than the memory.
      if (added === 0) this.#text.refuse();
      used += added;
      await this.#run(false);
    }
    await this.#text.pass();
  }

  /** Call it after the last byte. @throws InflateRefusal; what the text sink throws. */
  async finish(): Promise<void> {
    await this.#run(true);
    const isComplete = this.#state === 'header' && this.#members > 0 && this.#inflater.input.length === 0;
    if (!isComplete) this.#text.refuse();
    await this.#text.pass();
  }

  /** Returns its memory. Call it once, after all other calls have ended. Nothing else runs then. */
  async destroy(): Promise<void> {
    idle = this.#inflater;
  }

  /** Inflates until more input is needed. @param final whether the file ends after the input. */
  async #run(final: boolean): Promise<void> {
    const inflater = this.#inflater;
    const text = this.#text;
    for (;;) {
      if (this.#state === 'header') {
        const length = readMemberHeader(inflater.input);
        if (length === undefined) return;
        if (length === 0) text.refuse();
        inflater.skipInput(length);
        inflater.startStream();
        text.startMember();
        this.#state = 'data';
      } else if (this.#state === 'data') {
        const { status, end } = inflater.inflate(final, text.memberAt, text.end, text.limit);
        text.extendTo(end);
        if (status === InflateStatus.refused) text.refuse();
        if (status === InflateStatus.starved) return;
        if (status === InflateStatus.ended) this.#state = 'trailer';
        else await text.pass();
      } else {
        if (inflater.input.length < TRAILER_BYTES) return;
        text.endMember(readMemberTrailer(inflater.input));
        inflater.skipInput(TRAILER_BYTES);
        this.#members++;
        this.#state = 'header';
      }
    }
  }
}
