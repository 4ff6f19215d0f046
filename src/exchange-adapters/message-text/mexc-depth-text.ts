import type { PriceLevel } from '../../market/messages.js';
import { intern } from './book-text-reader.js';
import { CELL, COUNT, MS } from './trade-text.js';

/** A change of a book of MEXC's spot market. */
export interface MexcDepth {
  readonly symbol: string;
  /** Milliseconds. */
  readonly sendTime: number;
  readonly asks: readonly PriceLevel[];
  readonly bids: readonly PriceLevel[];
  readonly fromVersion: number;
  readonly toVersion: number;
}

/** At most 15 digits, which a double holds exactly; their quotient with a power of ten is rounded once. */
const NUMBER = '\\d{1,9}(?:\\.\\d{1,6})?|\\d{1,3}\\.\\d{7,12}';
const LEVEL = `\\{"price":"(?:${NUMBER})","quantity":"(?:${NUMBER})"\\}`;
const LEVELS = `\\[(?:${LEVEL}(?:,${LEVEL})*)?\\]`;
const MESSAGE = new RegExp(
  `^\\{"channel":"spot@public\\.aggre\\.depth\\.v3\\.api\\.pb@10ms@(${CELL}+)","symbol":"(${CELL}+)","sendTime":"(${MS})",` +
    `"publicAggreDepths":\\{"asks":${LEVELS},"bids":${LEVELS},"eventType":"${CELL}*",` +
    `"fromVersion":"(${COUNT})","toVersion":"(${COUNT})"\\}\\}$`,
);

/**
 * Creates a reader of changes from their text, in the form that the collector usually records; it returns
 * undefined for any other. It takes less time than parsing JSON, which makes an object and two texts of every
 * level.
 */
export function createMexcDepthReader(): (text: string) => MexcDepth | undefined {
  const symbols = new Map<string, string>();
  return (text) => {
    const match = MESSAGE.exec(text);
    if (!match) return undefined;
    const [, , symbol, sendTime, from, to] = match as unknown as DepthGroups;
    const levels = new LevelScanner(text, text.indexOf('"asks":[') + '"asks":['.length);
    const asks = levels.read();
    levels.skip('],"bids":['.length);
    const bids = levels.read();
    if (levels.hasZeroPrice) return undefined;
    const versions = { fromVersion: Number(from), toVersion: Number(to) };
    return { symbol: intern(symbol, symbols), sendTime: Number(sendTime), asks, bids, ...versions };
  };
}

/** The match, the channel's symbol and the other groups. */
type DepthGroups = readonly [string, string, string, string, string, string];

const POWERS_OF_TEN = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
const BRACKET = 93;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;

/** Reads lists of levels from a text that the pattern has checked. */
class LevelScanner {
  readonly #text: string;
  #at: number;
  hasZeroPrice = false;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  skip(characters: number): void {
    this.#at += characters;
  }

  /** The levels up to the end of a list. */
  read(): readonly PriceLevel[] {
    const levels: PriceLevel[] = [];
    while (this.#text.charCodeAt(this.#at) !== BRACKET) {
      if (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
      this.#at += '{"price":"'.length;
      const price = this.#readNumber();
      this.#at += '","quantity":"'.length;
      const amount = this.#readNumber();
      this.#at += '"}'.length;
      this.hasZeroPrice ||= price === 0;
      levels.push({ price, amount });
    }
    return levels;
  }

  #readNumber(): number {
    const text = this.#text;
    let at = this.#at;
    let digits = 0;
    let pointAt = -1;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === POINT) pointAt = at;
      else if (code >= ZERO) digits = digits * 10 + (code - ZERO);
      else break;
    }
    this.#at = at;
    return pointAt < 0 ? digits : digits / (POWERS_OF_TEN[at - pointAt - 1] as number);
  }
}
