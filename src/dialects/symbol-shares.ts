import { fnv1a } from '../dataset/shard.js';
import type { FeedPlan } from './feed-plan.js';
import { toFields } from './message-fields.js';
import { type SymbolNaming, symbolNaming } from './symbol-namings.js';

/** Share of a line whose symbol is unknown before it is parsed. */
export const ANY_SHARE = 255;

/** Maximum number of cached names; a feed has as many as channels and symbols. */
const MAX_NAMES = 20_000;
/** Size of the cache of names in lines, a power of two; a collision replaces the older name. */
const NAME_SLOTS = 4096;
/** A longer text is not a name. */
const MAX_NAME_BYTES = 100;
const QUOTE = 0x22;

interface KnownName {
  readonly name: Uint8Array;
  readonly share: number;
}

/** A message belongs to several shares, or to another one than its line suggested. */
export class MixedMessage extends Error {}

/**
 * Assigns the messages of one exchange's feed to several readers, by symbol. The assignment is fixed:
 * requested symbols round-robin, all others by hash.
 */
export class SymbolShares {
  /** At least 1. */
  readonly count: number;
  readonly #naming: SymbolNaming;
  readonly #marker: Uint8Array;
  /** Shares of requested symbols, by upper-case stem. */
  readonly #asked: ReadonlyMap<string, number>;
  /** Cached shares of names in lines, and below of names in messages. */
  readonly #inLines: (KnownName | undefined)[] = Array.from({ length: NAME_SLOTS }, () => undefined);
  readonly #inMessages = new Map<unknown, number>();

  /**
   * @param exchange an exchange for which `isDivisible` is true.
   * @param symbols as requested; undefined or empty for all.
   * @param maxShares upper limit; there are fewer shares if fewer stems are requested.
   */
  constructor(exchange: string, symbols: readonly string[] | undefined, most: number) {
    const naming = symbolNaming(exchange);
    if (!naming) throw new Error(`the symbol names of ${exchange} are unknown`);
    this.#naming = naming;
    this.#marker = Buffer.from(naming.marker);
    const stems = [...new Set((symbols ?? []).map((symbol) => this.#stemOf(symbol)))];
    this.count = Math.max(1, Math.min(most, ANY_SHARE, stems.length || most));
    this.#asked = new Map(stems.map((stem, at) => [stem, at % this.count]));
  }

  /**
   * The share that a line seems to belong to, by the first symbol name in its bytes; `ANY_SHARE` if there is
   * none. Only the parsed message is reliable (`ofMessage`).
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
   * The share of a message; a message without a symbol belongs to the first.
   * @param message parsed.
   * @throws MixedMessage if it names symbols of several shares.
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

  /** Upper case, since names of one symbol may differ in case. */
  #stemOf(name: string): string {
    return this.#naming.stemOf(name).toUpperCase();
  }
}

/** Whether each message of a plan is about one symbol, or about symbols of one share. */
export function isDivisible(exchange: string, { segments }: FeedPlan): boolean {
  const channels = symbolNaming(exchange)?.channels ?? [];
  return segments.every(({ filters }) => filters.every(({ channel }) => channels.includes(channel)));
}

/** Returns the position after the first match; -1 if there is none. */
function find(what: Uint8Array, text: Uint8Array, start: number, end: number): number {
  const last = end - what.length;
  for (let at = start; at <= last; at++) {
    let i = 0;
    while (i < what.length && text[at + i] === what[i]) i++;
    if (i === what.length) return at + i;
  }
  return -1;
}

/** Whether a text has these bytes from `start` (inclusive) to `end` (exclusive). */
function isAt(bytes: Uint8Array, text: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text[start + i]) return false;
  return true;
}
