/** A size at which the last block wastes little memory. */
const BLOCK_BYTES = 2 ** 24;
const LENGTH_BYTES = 4;

/**
 * The last line of each path, in the order of first appearance. Lines are stored as bytes outside the heap:
 * there may be a million, few are read, and as strings they would slow down garbage collection by seconds.
 */
export class LineStore {
  /** By path, the index of the block multiplied by the block size, plus the offset in the block. */
  readonly #positions = new Map<string, number>();
  readonly #blocks: Buffer[] = [];
  #end = 0;

  get size(): number {
    return this.#positions.size;
  }

  has(path: string): boolean {
    return this.#positions.has(path);
  }

  get(path: string): string | undefined {
    const position = this.#positions.get(path);
    return position === undefined ? undefined : this.#lineAt(position);
  }

  set(path: string, line: string): void {
    const length = Buffer.byteLength(line);
    let block = this.#blocks.at(-1);
    if (!block || this.#end + LENGTH_BYTES + length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, LENGTH_BYTES + length));
      this.#blocks.push(block);
      this.#end = 0;
    }
    this.#positions.set(path, (this.#blocks.length - 1) * BLOCK_BYTES + this.#end);
    block.writeUInt32LE(length, this.#end);
    block.write(line, this.#end + LENGTH_BYTES);
    this.#end += LENGTH_BYTES + length;
    // After a line longer than a block, start a new block, so that offsets stay below the block size.
    if (this.#end >= BLOCK_BYTES) this.#end = block.length;
  }

  delete(path: string): void {
    this.#positions.delete(path);
  }

  *values(): IterableIterator<string> {
    for (const position of this.#positions.values()) yield this.#lineAt(position);
  }

  #lineAt(position: number): string {
    const block = this.#blocks[Math.floor(position / BLOCK_BYTES)];
    const start = position % BLOCK_BYTES;
    const from = start + LENGTH_BYTES;
    return block?.toString('utf8', from, from + block.readUInt32LE(start)) ?? '';
  }
}
