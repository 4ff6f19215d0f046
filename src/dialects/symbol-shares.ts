import type { FeedPlan } from './feed-plan.js';
import { fieldsIn } from './fields.js';
import { type SymbolNaming, symbolNaming } from './symbol-namings.js';

/** The share of a line whose symbol is known to nobody before it is parsed. */
export const ANY_SHARE = 255;

/** Texts that are remembered; a feed has as many as channels and symbols. */
const MOST_TEXTS = 20_000;
/** Bytes; a text that is longer tells no symbol. */
const LONGEST_TEXT = 100;
const QUOTE = 0x22;

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
  /** What was found out, by the text in a line, and by a name in a message. */
  readonly #byText = new Map<string, number>();
  readonly #byName = new Map<unknown, number>();

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
    let to = from;
    while (to < end && to - from < LONGEST_TEXT && text[to] !== QUOTE) to++;
    if (text[to] !== QUOTE) return ANY_SHARE;
    const found = text.toString('latin1', from, to);
    return remember(this.#byText, found, () => this.#ofSymbol(this.#naming.symbolIn(found)));
  }

  /**
   * Whose a message is. One that names no symbol is the first's.
   * @param message parsed.
   * @throws MixedMessage where it names symbols of several.
   */
  ofMessage(message: unknown): number {
    let share: number | undefined;
    for (const name of this.#naming.namesIn(fieldsIn(message))) {
      if (name === undefined) continue;
      const its = remember(this.#byName, name, () => this.#ofSymbol(String(name)));
      if (share !== undefined && its !== share) throw new MixedMessage();
      share = its;
    }
    return share ?? 0;
  }

  #ofSymbol(symbol: string): number {
    const stem = this.#stemOf(symbol);
    return this.#asked.get(stem) ?? hashOf(stem) % this.count;
  }

  /** Names of one symbol may differ in case. */
  #stemOf(symbol: string): string {
    return this.#naming.stemOf(symbol).toUpperCase();
  }
}

/** Whether each message of a plan is about one symbol, or about some that stay together. */
export function isDivisible(exchange: string, { segments }: FeedPlan): boolean {
  const channels = symbolNaming(exchange)?.channels ?? [];
  return segments.every(({ filters }) => filters.every(({ channel }) => channels.includes(channel)));
}

function remember<K>(known: Map<K, number>, key: K, find: () => number): number {
  const share = known.get(key);
  if (share !== undefined) return share;
  if (known.size >= MOST_TEXTS) known.clear();
  const found = find();
  known.set(key, found);
  return found;
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

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash >>> 0;
}
