import type { BookSide, LevelBlock } from './book-side.js';

/** The best levels of one side, best first, as a snapshot shows them. */
export interface SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  /** How many there are; what stands behind them means nothing. */
  readonly count: number;
}

/** Reads the best levels of a side, grouped or as they are, and tells whether they differ from those read before. */
export class TopLevels implements SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  count = 0;
  /** A change at this rank or behind it can't be seen here. */
  reach = 0;
  readonly #depth: number;
  readonly #grouping: Grouping | undefined;

  constructor(depth: number, grouping: number | undefined) {
    this.#depth = depth;
    this.#grouping = grouping === undefined ? undefined : createGrouping(grouping);
    this.prices = new Float64Array(depth);
    this.amounts = new Float64Array(depth);
  }

  /** Returns whether anything is other than before. */
  read(side: BookSide): boolean {
    return this.#grouping ? this.#readGroups(side, this.#grouping) : this.#readLevels(side);
  }

  #readLevels({ blocks, sign }: BookSide): boolean {
    let changed = false;
    let rank = 0;
    this.reach = this.#depth;
    for (let b = blocks.length - 1; b >= 0 && rank < this.#depth; b--) {
      const { keys, amounts, size } = blocks[b] as LevelBlock;
      for (let i = size - 1; i >= 0 && rank < this.#depth; i--) {
        if (this.#put(rank++, sign * (keys[i] as number), amounts[i] as number)) changed = true;
      }
    }
    return this.#end(rank) || changed;
  }

  /** Amounts of one group are added up in the book's order, so that the sum is the same double everywhere. */
  #readGroups({ blocks, sign }: BookSide, grouping: Grouping): boolean {
    let changed = false;
    let groups = 0;
    let price = Number.NaN;
    let amount = 0;
    let rank = 0;
    for (let b = blocks.length - 1; b >= 0; b--) {
      const { keys, amounts, size } = blocks[b] as LevelBlock;
      for (let i = size - 1; i >= 0; i--, rank++) {
        const next = groupPrice(sign * (keys[i] as number), sign, grouping);
        if (next !== price) {
          if (rank > 0 && this.#put(groups++, price, amount)) changed = true;
          if (groups === this.#depth) {
            this.reach = rank + 1;
            return this.#end(groups) || changed;
          }
          price = next;
          amount = 0;
        }
        amount += amounts[i] as number;
      }
    }
    if (rank > 0 && this.#put(groups++, price, amount)) changed = true;
    this.reach = Number.POSITIVE_INFINITY;
    return this.#end(groups) || changed;
  }

  #put(at: number, price: number, amount: number): boolean {
    if (at < this.count && this.prices[at] === price && this.amounts[at] === amount) return false;
    this.prices[at] = price;
    this.amounts[at] = amount;
    return true;
  }

  #end(count: number): boolean {
    const changed = count !== this.count;
    this.count = count;
    return changed;
  }
}

/** Prices are brought to multiples on integers where they can be: both are taken times a power of ten. */
interface Grouping {
  readonly power: number;
  /** The multiple, times the power. */
  readonly scaled: number;
}

function createGrouping(multiple: number): Grouping {
  const power = 10 ** countDecimals(multiple);
  return { power, scaled: multiple * power };
}

/** Digits behind the point of a number's shortest form. */
function countDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/**
 * The multiple below a bid, or above an ask. The order of the arithmetic is that of the vendor's clients (replay facts,
 * book_snapshot), so that the double is the same, though the way over `/ power * power` looks idle.
 */
function groupPrice(price: number, sign: 1 | -1, { power, scaled }: Grouping): number {
  const scaledPrice = price * power;
  const rest = (scaledPrice % scaled) / power;
  // `%` goes towards 0: from there a negative bid goes one further down, a positive ask one up.
  const further = rest * sign < 0 ? -sign * scaled : 0;
  return (scaledPrice - rest * power + further) / power;
}
