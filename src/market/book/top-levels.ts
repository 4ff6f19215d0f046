import type { BookSide, LevelBlock } from './book-side.js';

/** The best levels of one side, best first. */
export interface SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  /** Number of levels; later array elements have no meaning. */
  readonly count: number;
}

/** Reads the best levels of a side, grouped or not, and compares them with the previous ones. */
export class TopLevels implements SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  count = 0;
  /** Changes at this rank or after it have no effect here. */
  reach = 0;
  readonly #depth: number;
  readonly #grouping: Grouping | undefined;

  constructor(depth: number, grouping: number | undefined) {
    this.#depth = depth;
    this.#grouping = grouping === undefined ? undefined : createGrouping(grouping);
    this.prices = new Float64Array(depth);
    this.amounts = new Float64Array(depth);
  }

  /** @returns whether a level differs from the previous read. */
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
        if (this.#setLevel(rank++, sign * (keys[i] as number), amounts[i] as number)) changed = true;
      }
    }
    return this.#setCount(rank) || changed;
  }

  /** Amounts of a group are added in the book's order, so that the sum is the same double everywhere. */
  #readGroups({ blocks, sign }: BookSide, grouping: Grouping): boolean {
    let changed = false;
    let groups = 0;
    let price = Number.NaN;
    let amount = 0;
    let rank = 0;
    for (let b = blocks.length - 1; b >= 0; b--) {
      const { keys, amounts, size } = blocks[b] as LevelBlock;
      for (let i = size - 1; i >= 0; i--, rank++) {
        const next = roundToGroup(sign * (keys[i] as number), sign, grouping);
        if (next !== price) {
          if (rank > 0 && this.#setLevel(groups++, price, amount)) changed = true;
          if (groups === this.#depth) {
            this.reach = rank + 1;
            return this.#setCount(groups) || changed;
          }
          price = next;
          amount = 0;
        }
        amount += amounts[i] as number;
      }
    }
    if (rank > 0 && this.#setLevel(groups++, price, amount)) changed = true;
    this.reach = Number.POSITIVE_INFINITY;
    return this.#setCount(groups) || changed;
  }

  #setLevel(at: number, price: number, amount: number): boolean {
    if (at < this.count && this.prices[at] === price && this.amounts[at] === amount) return false;
    this.prices[at] = price;
    this.amounts[at] = amount;
    return true;
  }

  #setCount(count: number): boolean {
    const changed = count !== this.count;
    this.count = count;
    return changed;
  }
}

/** Prices are rounded as integers if possible: price and multiple are scaled by a power of ten. */
interface Grouping {
  readonly power: number;
  /** The multiple, times the power. */
  readonly scaled: number;
}

function createGrouping(multiple: number): Grouping {
  const power = 10 ** countDecimals(multiple);
  return { power, scaled: multiple * power };
}

/** Decimals of a number in its shortest form. */
function countDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/**
 * The multiple below a bid, or above an ask. The arithmetic has the order of the vendor's clients, so that
 * the double is the same, although `/ power * power` looks redundant
 * (docs/spec/computed-data.md#grouped-snapshots).
 */
function roundToGroup(price: number, sign: 1 | -1, { power, scaled }: Grouping): number {
  const scaledPrice = price * power;
  const rest = (scaledPrice % scaled) / power;
  // `%` rounds towards 0, so a negative bid needs one more step down, and a positive ask one up.
  const offset = rest * sign < 0 ? -sign * scaled : 0;
  return (scaledPrice - rest * power + offset) / power;
}
