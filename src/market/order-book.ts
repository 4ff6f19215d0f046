/** Levels per block. Larger blocks make a change in the middle slower, smaller ones the search for it. */
const BLOCK_CAPACITY = 256;
/** Levels per block after a snapshot, so that the first changes need no split. */
const INITIAL_BLOCK_LEVELS = 192;
/** Blocks, from the best on, that are searched one by one; most changes are there. */
const LINEAR_SEARCH_BLOCKS = 2;

/** Neighbouring levels of a side, in ascending order of their keys: the best is the last. */
export interface LevelBlock {
  readonly keys: Float64Array;
  readonly amounts: Float64Array;
  size: number;
}

/**
 * One side of an order book: amounts by price. Levels are stored in blocks of typed arrays, sorted so that
 * the best is the last of the last block. So a change near the top moves a few numbers, and any change at
 * most one block. A level's key is its price, negated for asks, so that greater is better.
 */
export class BookSide {
  /** The worst levels come first; no block is empty. */
  readonly blocks: LevelBlock[] = [];
  /**
   * A lower bound of the best rank (0 is the best) that changed since this was set. A reader of the side up
   * to a rank sets it to Infinity, and needs to read again only if it is lower than that rank.
   */
  touched = Number.POSITIVE_INFINITY;
  readonly #freeBlocks: LevelBlock[] = [];

  /** @param sign 1 for bids, -1 for asks; a level's key is price × sign. */
  constructor(readonly sign: 1 | -1) {}

  /** The best price; NaN if the side is empty. */
  get best(): number {
    const block = this.blocks.at(-1);
    return block ? this.sign * (block.keys[block.size - 1] as number) : Number.NaN;
  }

  clear(): void {
    for (const block of this.blocks) this.#freeBlocks.push(block);
    this.blocks.length = 0;
    this.touched = 0;
  }

  /** Sets the amount at a price; 0 removes the level, if it exists. @returns whether the side had the level. */
  set(price: number, amount: number): boolean {
    const key = this.sign * price;
    const { blocks } = this;
    let at = blocks.length - 1;
    let block = blocks[at];
    if (!block) {
      if (amount !== 0) this.#append(key, amount);
      return false;
    }
    let rank = 0;
    for (let near = 1; near < LINEAR_SEARCH_BLOCKS && at > 0 && key < (block.keys[0] as number); near++) {
      rank += block.size;
      block = blocks[--at] as LevelBlock;
    }
    if (at > 0 && key < (block.keys[0] as number)) {
      rank += block.size;
      at = findBlock(blocks, at - 1, key);
      block = blocks[at] as LevelBlock;
    }
    const { keys, amounts, size } = block;
    const position = findPosition(keys, size, key);
    const isHeld = position < size && keys[position] === key;
    if (isHeld) {
      this.#touch(rank + size - 1 - position);
      if (amount === 0) this.#remove(at, position);
      else amounts[position] = amount;
    } else if (amount !== 0) {
      this.#touch(rank + size - position);
      if (size < BLOCK_CAPACITY) insert(block, position, key, amount);
      else this.#split(at, position, key, amount);
    }
    return isHeld;
  }

  /** Replaces all levels. If they are sorted, in either direction, this takes barely longer than a copy. */
  fill(prices: Float64Array, amounts: Float64Array, count: number): void {
    this.clear();
    const order = detectOrder(prices, count);
    if (order === 0) {
      for (let i = 0; i < count; i++) this.set(prices[i] as number, amounts[i] as number);
      return;
    }
    const step = order * this.sign;
    for (let n = 0, i = step > 0 ? 0 : count - 1; n < count; n++, i += step) {
      const amount = amounts[i] as number;
      if (amount !== 0) this.#append(this.sign * (prices[i] as number), amount);
    }
  }

  removeBest(): void {
    const block = this.blocks.at(-1);
    if (block) this.#remove(this.blocks.length - 1, block.size - 1);
    this.touched = 0;
  }

  #touch(rank: number): void {
    if (rank < this.touched) this.touched = rank;
  }

  /** Appends a level that is better than all others. */
  #append(key: number, amount: number): void {
    let block = this.blocks.at(-1);
    if (!block || block.size >= INITIAL_BLOCK_LEVELS) {
      block = this.#newBlock();
      this.blocks.push(block);
    }
    block.keys[block.size] = key;
    block.amounts[block.size++] = amount;
    this.touched = 0;
  }

  #remove(at: number, position: number): void {
    const block = this.blocks[at] as LevelBlock;
    const { keys, amounts } = block;
    const last = --block.size;
    if (last === 0) {
      this.blocks.splice(at, 1);
      this.#freeBlocks.push(block);
      return;
    }
    for (let i = position; i < last; i++) {
      keys[i] = keys[i + 1] as number;
      amounts[i] = amounts[i + 1] as number;
    }
  }

  #split(at: number, position: number, key: number, amount: number): void {
    const lower = this.blocks[at] as LevelBlock;
    const upper = this.#newBlock();
    const half = BLOCK_CAPACITY / 2;
    upper.keys.set(lower.keys.subarray(half));
    upper.amounts.set(lower.amounts.subarray(half));
    lower.size = half;
    upper.size = BLOCK_CAPACITY - half;
    this.blocks.splice(at + 1, 0, upper);
    if (position <= half) insert(lower, position, key, amount);
    else insert(upper, position - half, key, amount);
  }

  #newBlock(): LevelBlock {
    const block = this.#freeBlocks.pop();
    if (!block)
      return { keys: new Float64Array(BLOCK_CAPACITY), amounts: new Float64Array(BLOCK_CAPACITY), size: 0 };
    block.size = 0;
    return block;
  }
}

function insert(block: LevelBlock, position: number, key: number, amount: number): void {
  const { keys, amounts } = block;
  for (let i = block.size++; i > position; i--) {
    keys[i] = keys[i - 1] as number;
    amounts[i] = amounts[i - 1] as number;
  }
  keys[position] = key;
  amounts[position] = amount;
}

/** The last block of 0 to `last` whose minimum key is not above the key; 0 if there is none. */
function findBlock(blocks: readonly LevelBlock[], last: number, key: number): number {
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (((blocks[middle] as LevelBlock).keys[0] as number) <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first position whose key is not below the key. */
function findPosition(keys: Float64Array, size: number, key: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 1 if prices ascend, -1 if they descend, 0 otherwise. */
function detectOrder(prices: Float64Array, count: number): 0 | 1 | -1 {
  if (count < 2) return 1;
  const order = (prices[1] as number) > (prices[0] as number) ? 1 : -1;
  for (let i = 1; i < count; i++) {
    if (!(((prices[i] as number) - (prices[i - 1] as number)) * order > 0)) return 0;
  }
  return order;
}

/**
 * The order book of one exchange and symbol (docs/spec/computed-data.md#order-book): a snapshot replaces it,
 * updates before the first snapshot are ignored, and after each change no bid is at or above an ask.
 *
 * Pass a change with `begin`, a `level` for each of its levels in the exchange's order, and `commit`.
 */
export class OrderBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  readonly #bidChanges = new LevelBuffer();
  readonly #askChanges = new LevelBuffer();
  #isSnapshot = false;
  /** Whether there was a snapshot. */
  #ready = false;

  begin(isSnapshot: boolean): void {
    this.#isSnapshot = isSnapshot;
    this.#bidChanges.count = 0;
    this.#askChanges.count = 0;
  }

  /** @param amount the new total at this price; 0 removes the level. */
  level(isAsk: boolean, price: number, amount: number): void {
    (isAsk ? this.#askChanges : this.#bidChanges).push(price, amount);
  }

  /** Applies the change. Afterwards `touched` of each side refers to this change only. */
  commit(): void {
    this.bids.touched = Number.POSITIVE_INFINITY;
    this.asks.touched = Number.POSITIVE_INFINITY;
    if (this.#isSnapshot) {
      this.#ready = true;
      fillSide(this.asks, this.#askChanges);
      fillSide(this.bids, this.#bidChanges);
    } else if (this.#ready) {
      applyChanges(this.asks, this.#askChanges);
      applyChanges(this.bids, this.#bidChanges);
    }
    if (this.bids.best >= this.asks.best) this.#uncross();
  }

  /** Keeps the levels of the change: if it has the best ask, bids are removed. The side is chosen once. */
  #uncross(): void {
    const { bids, asks } = this;
    const { prices, count } = this.#askChanges;
    const bestAsk = asks.best;
    let isNewAsk = false;
    for (let i = 0; i < count && !isNewAsk; i++) isNewAsk = prices[i] === bestAsk;
    const crossedSide = isNewAsk ? bids : asks;
    while (bids.best >= asks.best) crossedSide.removeBest();
  }
}

function fillSide(side: BookSide, { prices, amounts, count }: LevelBuffer): void {
  side.fill(prices, amounts, count);
}

function applyChanges(side: BookSide, { prices, amounts, count }: LevelBuffer): void {
  for (let i = 0; i < count; i++) side.set(prices[i] as number, amounts[i] as number);
}

/** The levels of one side of a change, in their order. */
export class LevelBuffer {
  prices = new Float64Array(16);
  amounts = new Float64Array(16);
  count = 0;

  push(price: number, amount: number): void {
    if (this.count === this.prices.length) {
      this.prices = growArray(this.prices);
      this.amounts = growArray(this.amounts);
    }
    this.prices[this.count] = price;
    this.amounts[this.count++] = amount;
  }
}

function growArray(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * array.length);
  larger.set(array);
  return larger;
}
