import { fnv1a } from '../dataset/shard.js';
import type { FeedPlan } from './feed-plan.js';
import { toFields } from './message-fields.js';
import { type SymbolNaming, symbolNaming } from './symbol-namings.js';

/** The share of a line whose symbol is known to nobody before it is parsed. */
export const ANY_SHARE = 255;

/** Names that are remembered; a feed has as many as channels and symbols. */
const MAX_NAMES = 20_000;
/** Places for names as bytes, a power of two: of two that fall to one place the last is there. */
const NAME_SLOTS = 4096;
/** Bytes; what is longer is no name. */
const MAX_NAME_BYTES = 100;
const QUOTE = 0x22;

interface KnownName {
  readonly name: Uint8Array;
  readonly share: number;
}

/** A message that is of several shares, or of another than its line seemed to be. */
export class MixedMessage extends Error {}

/**
 * Divides the messages of one exchange's feed among several readers, by symbol. It is fixed whose a symbol is: those that
 * are asked for go round, all others fall by their hash.
 */
export class SymbolShares {
  /** At least 1. */
  readonly count: number;
  readonly #naming: SymbolNaming;
  readonly #marker: Uint8Array;
  /** By stem, in upper case. */
  readonly #asked: ReadonlyMap<string, number>;
  /** What was found out of names in lines, and in messages. */
  readonly #inLines: (KnownName | undefined)[] = Array.from({ length: NAME_SLOTS }, () => undefined);
  readonly #inMessages = new Map<unknown, number>();

  /**
   * @param exchange one of which `isDivisible` holds.
   * @param symbols as they are asked for; undefined or empty for all.
   * @param most shares; there are fewer where fewer stems are asked for.
   */
  constructor(exchange: string, symbols: readonly string[] | undefined, most: number) {
    const naming = symbolNaming(exchange);
    if (!naming) throw new Error(`nobody knows how ${exchange} names symbols`);
    this.#naming = naming;
    this.#marker = Buffer.from(naming.marker);
    const stems = [...new Set((symbols ?? []).map((symbol) => this.#stemOf(symbol)))];
    this.count = Math.max(1, Math.min(most, ANY_SHARE, stems.length || most));
    this.#asked = new Map(stems.map((stem, at) => [stem, at % this.count]));
  }

  /**
   * Whose a line seems to be, by the first bytes that may tell; `ANY_SHARE` where none do. Whether that is right, the
   * message tells (`ofMessage`).
   */
  ofLine(text: Buffer, start: number, end: number): number {
    const from = find(this.#marker, text, start, end);
    if (from < 0) return ANY_SHARE;
    const most = Math.min(end, from + MAX_NAME_BYTES);
    let to = from;
    let hash = 0;
    for (; to < most && text[to] !== QUOTE; to++) hash = (Math.imul(hash, 31) + (text[to] as number)) | 0;
    if (to === most) return ANY_SHARE;
    const place = hash & (NAME_SLOTS - 1);
    const known = this.#inLines[place];
    if (known && isAt(known.name, text, from, to)) return known.share;
    const share = this.#ofName(text.toString('utf8', from, to));
    this.#inLines[place] = { name: Uint8Array.prototype.slice.call(text, from, to), share };
    return share;
  }

  /**
   * Whose a message is. One that names no symbol is the first's.
   * @param message parsed.
   * @throws MixedMessage where it names symbols of several.
   */
  ofMessage(message: unknown): number {
    let share: number | undefined;
    for (const name of this.#naming.namesIn(toFields(message))) {
      if (name === undefined) continue;
      const its = this.#inMessages.get(name) ?? this.#remember(name);
      if (share !== undefined && its !== share) throw new MixedMessage();
      share = its;
    }
    return share ?? 0;
  }

  #remember(name: unknown): number {
    const share = this.#ofName(String(name));
    if (this.#inMessages.size >= MAX_NAMES) this.#inMessages.clear();
    this.#inMessages.set(name, share);
    return share;
  }

  #ofName(name: string): number {
    const stem = this.#stemOf(name);
    return this.#asked.get(stem) ?? fnv1a(stem) % this.count;
  }

  /** Names of one symbol may differ in case. */
  #stemOf(name: string): string {
    return this.#naming.stemOf(name).toUpperCase();
  }
}

/** Whether each message of a plan is about one symbol, or about some that stay together. */
export function isDivisible(exchange: string, { segments }: FeedPlan): boolean {
  const channels = symbolNaming(exchange)?.channels ?? [];
  return segments.every(({ filters }) => filters.every(({ channel }) => channels.includes(channel)));
}

/** The position behind the first `what`; -1 where there is none. */
function find(what: Uint8Array, text: Uint8Array, start: number, end: number): number {
  const last = end - what.length;
  for (let at = start; at <= last; at++) {
    let i = 0;
    while (i < what.length && text[at + i] === what[i]) i++;
    if (i === what.length) return at + i;
  }
  return -1;
}

/** Whether bytes stand in a text from `start` up to `endConversion`. */
function isAt(bytes: Uint8Array, text: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text[start + i]) return false;
  return true;
}
