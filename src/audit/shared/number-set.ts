/** Numbers per block; a block takes 4 KiB. */
const BLOCK_NUMBERS = 32_768;
/** At most 64 MiB of blocks. Ids that are spread widely would need more memory as bits than as hashes. */
const MAX_BLOCKS = 16_384;

/** Whole numbers per symbol as blocks of bits, since most exchanges number trades one by one. */
export class NumberSet {
  readonly #symbols: Map<number, Uint32Array>[] = [];
  #blocks = 0;
  /** The block that was used last. */
  #symbol = -1;
  #index = -1;
  #block: Uint32Array | undefined;

  /** Whether a number belongs in this set. It never changes for a number: no block is added after the last. */
  hasRoom(symbol: number, number: number): boolean {
    return this.#find(symbol, Math.floor(number / BLOCK_NUMBERS)) !== undefined || this.#blocks < MAX_BLOCKS;
  }

  /** Adds a number for which there is room. @returns whether it is new. */
  add(symbol: number, number: number): boolean {
    const index = Math.floor(number / BLOCK_NUMBERS);
    const block = this.#find(symbol, index) ?? this.#create(symbol, index);
    const bit = number - index * BLOCK_NUMBERS;
    const word = bit >>> 5;
    const mask = 1 << (bit & 31);
    const bits = block[word] as number;
    block[word] = bits | mask;
    return (bits & mask) === 0;
  }

  #find(symbol: number, index: number): Uint32Array | undefined {
    if (symbol === this.#symbol && index === this.#index) return this.#block;
    this.#symbol = symbol;
    this.#index = index;
    this.#block = this.#symbols[symbol]?.get(index);
    return this.#block;
  }

  #create(symbol: number, index: number): Uint32Array {
    const block = new Uint32Array(BLOCK_NUMBERS / 32);
    const blocks = this.#symbols[symbol] ?? new Map<number, Uint32Array>();
    this.#symbols[symbol] = blocks;
    blocks.set(index, block);
    this.#blocks++;
    this.#block = block;
    return block;
  }
}
