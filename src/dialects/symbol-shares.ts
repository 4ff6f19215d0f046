import { fnv1a } from '../dataset/shard.js';
import type { FeedPlan } from './feed-plan.js';
import { toFields } from './message-fields.js';
import { findSymbolNaming, type SymbolNaming } from './symbol-namings.js';

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
  readonly #requested: ReadonlyMap<string, number>;
  /** Cached shares of names in lines, and below of names in messages. */
  readonly #inLines: (KnownName | undefined)[] = Array.from({ length: NAME_SLOTS }, () => undefined);
  readonly #inMessages = new Map<unknown, number>();

  /**
   * @param exchange an exchange for which `isDivisible` is true.
   * @param symbols as requested; undefined or empty for all.
   * @param maxShares upper limit; there are fewer shares if fewer stems are requested.
   */
  constructor(exchange: string, symbols: readonly string[] | undefined, maxShares: number) {
    const naming = findSymbolNaming(exchange);
    if (!naming) throw new Error(`the symbol names of ${exchange} are unknown`);
    this.#naming = naming;
    this.#marker = Buffer.from(naming.marker);
    const stems = [...new Set((symbols ?? []).map((symbol) => this.#toStem(symbol)))];
    this.count = Math.max(1, Math.min(maxShares, ANY_SHARE, stems.length || maxShares));
    this.#requested = new Map(stems.map((stem, at) => [stem, at % this.count]));
  }

  /**
   * The share that a line seems to belong to, by the first symbol name in its bytes; `ANY_SHARE` if there is
   * none. Only the parsed message is reliable (`findMessageShare`).
   */
  findLineShare(text: Buffer, start: number, end: number): number {
    const from = findEnd(this.#marker, text, start, end);
    if (from < 0) return ANY_SHARE;
    const limit = Math.min(end, from + MAX_NAME_BYTES);
    let to = from;
    let hash = 0;
    for (; to < limit && text[to] !== QUOTE; to++) hash = (Math.imul(hash, 31) + (text[to] as number)) | 0;
    if (to === limit) return ANY_SHARE;
    const slot = hash & (NAME_SLOTS - 1);
    const known = this.#inLines[slot];
    if (known && hasBytesAt(known.name, text, from, to)) return known.share;
    const share = this.#findNameShare(text.toString('utf8', from, to));
    this.#inLines[slot] = { name: Uint8Array.prototype.slice.call(text, from, to), share };
    return share;
  }

  /**
   * The share of a message; a message without a symbol belongs to the first.
   * @param message parsed.
   * @throws MixedMessage if it names symbols of several shares.
   */
  findMessageShare(message: unknown): number {
    let share: number | undefined;
    for (const name of this.#naming.readNames(toFields(message))) {
      if (name === undefined) continue;
      const nameShare = this.#inMessages.get(name) ?? this.#remember(name);
      if (share !== undefined && nameShare !== share) throw new MixedMessage();
      share = nameShare;
    }
    return share ?? 0;
  }

  #remember(name: unknown): number {
    const share = this.#findNameShare(String(name));
    if (this.#inMessages.size >= MAX_NAMES) this.#inMessages.clear();
    this.#inMessages.set(name, share);
    return share;
  }

  #findNameShare(name: string): number {
    const stem = this.#toStem(name);
    return this.#requested.get(stem) ?? fnv1a(stem) % this.count;
  }

  /** Upper case, since names of one symbol may differ in case. */
  #toStem(name: string): string {
    return this.#naming.toStem(name).toUpperCase();
  }
}

/** Whether each message of a plan is about one symbol, or about symbols of one share. */
export function isDivisible(exchange: string, { segments }: FeedPlan): boolean {
  const channels = findSymbolNaming(exchange)?.channels ?? [];
  return segments.every(({ filters }) => filters.every(({ channel }) => channels.includes(channel)));
}

/** Returns the position after the first match; -1 if there is none. */
function findEnd(what: Uint8Array, text: Uint8Array, start: number, end: number): number {
  const last = end - what.length;
  for (let at = start; at <= last; at++) {
    let i = 0;
    while (i < what.length && text[at + i] === what[i]) i++;
    if (i === what.length) return at + i;
  }
  return -1;
}

/** Whether a text has these bytes from `start` (inclusive) to `end` (exclusive). */
function hasBytesAt(bytes: Uint8Array, text: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text[start + i]) return false;
  return true;
}
