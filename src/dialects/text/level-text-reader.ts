import type { PriceLevel } from '../../market/messages.js';

/** How an exchange writes the levels of a book. */
export interface LevelForm {
  /** Whether prices and amounts are strings. */
  readonly isQuoted: boolean;
  /** Whether a level begins with an action: `"new"`, `"change"` or `"delete"`. */
  readonly hasAction: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const OPEN = 91;
const CLOSE = 93;
const LETTER_A = 97;
const LETTER_D = 100;

/** A double holds each integer of so few digits, and each of these powers, so their quotient is exact. */
const MAX_DIGITS = 15;
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Reads lists of levels from text: `[["61234.50","1.250"],…]`. Further cells of a level must be strings of
 * digits, and are skipped.
 */
export class LevelTextReader {
  /** Position after the last list or number; -1 if it has another form. */
  position = 0;
  readonly #isQuoted: boolean;
  readonly #hasAction: boolean;

  constructor({ isQuoted, hasAction }: LevelForm) {
    this.#isQuoted = isQuoted;
    this.#hasAction = hasAction;
  }

  /** Reads the list at a position. The result has no meaning if `position` is -1. */
  read(text: string, start: number): readonly PriceLevel[] {
    const levels: PriceLevel[] = [];
    this.position = -1;
    if (text.charCodeAt(start) !== OPEN) return levels;
    let at = start + 1;
    if (text.charCodeAt(at) === CLOSE) {
      this.position = at + 1;
      return levels;
    }
    for (;;) {
      if (text.charCodeAt(at) !== OPEN) break;
      // A deletion counts as an amount of 0, and nearly always has it.
      const isDeletion = this.#hasAction && text.charCodeAt(at + 2) === LETTER_D;
      const price = this.#readNumber(text, this.#hasAction ? skipAction(text, at + 1) : at + 1);
      at = this.position;
      if (text.charCodeAt(at) !== COMMA) break;
      const amount = this.#readNumber(text, at + 1);
      at = this.position;
      while (text.charCodeAt(at) === COMMA) at = skipDigits(text, at + 1);
      if (text.charCodeAt(at) !== CLOSE || (isDeletion && amount !== 0)) break;
      levels.push({ price, amount });
      const next = text.charCodeAt(at + 1);
      at += 2;
      if (next === COMMA) continue;
      this.position = next === CLOSE ? at : -1;
      return levels;
    }
    this.position = -1;
    return levels;
  }

  /** Reads a decimal without sign or exponent. */
  #readNumber(text: string, from: number): number {
    const isQuoted = this.#isQuoted;
    this.position = -1;
    if (isQuoted && text.charCodeAt(from) !== QUOTE) return 0;
    const start = isQuoted ? from + 1 : from;
    let at = start;
    let digits = 0;
    let digit = text.charCodeAt(at) - ZERO;
    while (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      digit = text.charCodeAt(++at) - ZERO;
    }
    const point = at;
    if (point === start || (point > start + 1 && text.charCodeAt(start) === ZERO)) return 0;
    let decimals = 0;
    if (digit === POINT - ZERO) {
      digit = text.charCodeAt(++at) - ZERO;
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
        digit = text.charCodeAt(++at) - ZERO;
      }
      decimals = at - point - 1;
      if (decimals === 0) return 0;
    }
    if (isQuoted && digit !== QUOTE - ZERO) return 0;
    this.position = isQuoted ? at + 1 : at;
    if (at - start > MAX_DIGITS) return Number(text.slice(start, at));
    return digits / (POWERS[decimals] as number);
  }
}

/** The position after a string of small letters and a comma; -1 for anything else. */
function skipAction(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  let at = start + 1;
  while (text.charCodeAt(at) >= LETTER_A && text.charCodeAt(at) < LETTER_A + 26) at++;
  return text.charCodeAt(at) === QUOTE && text.charCodeAt(at + 1) === COMMA ? at + 2 : -1;
}

/** The position after a string of digits; -1 for anything else. */
function skipDigits(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  let at = start + 1;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) < ZERO + 10) at++;
  return text.charCodeAt(at) === QUOTE ? at + 1 : -1;
}
