/** Bytes of a block: of such a size that the last one wastes little. */
const BLOCK_BYTES = 2 ** 24;
const LENGTH_BYTES = 4;

/**
 * The last line of each path, in the order of first appearance. The lines stand as bytes outside of the heap: a
 * million are kept, few are looked at, and as texts they would keep the garbage collector busy for seconds.
 */
export class LineStore {
  /** By path, the number of the block times its size, and the offset in it. */
  readonly #places = new Map<string, number>();
  readonly #blocks: Buffer[] = [];
  #end = 0;

  get size(): number {
    return this.#places.size;
  }

  has(path: string): boolean {
    return this.#places.has(path);
  }

  get(path: string): string | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#lineAt(place);
  }

  set(path: string, line: string): void {
    const length = Buffer.byteLength(line);
    let block = this.#blocks.at(-1);
    if (!block || this.#end + LENGTH_BYTES + length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, LENGTH_BYTES + length));
      this.#blocks.push(block);
      this.#end = 0;
    }
    this.#places.set(path, (this.#blocks.length - 1) * BLOCK_BYTES + this.#end);
    block.writeUInt32LE(length, this.#end);
    block.write(line, this.#end + LENGTH_BYTES);
    this.#end += LENGTH_BYTES + length;
    // What follows a line longer than a block begins in the next one: offsets stay below a block's size.
    if (this.#end >= BLOCK_BYTES) this.#end = block.length;
  }

  delete(path: string): void {
    this.#places.delete(path);
  }

  *values(): IterableIterator<string> {
    for (const place of this.#places.values()) yield this.#lineAt(place);
  }

  #lineAt(place: number): string {
    const block = this.#blocks[Math.floor(place / BLOCK_BYTES)];
    const start = place % BLOCK_BYTES;
    const from = start + LENGTH_BYTES;
    return block?.toString('utf8', from, from + block.readUInt32LE(start)) ?? '';
  }
}
