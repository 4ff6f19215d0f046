/** Limits of a vector, and of all texts, which keep the memory for them small. */
const MAX_ELEMENTS = 500_000;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Bytes of texts and vectors that may still be read: offsets can refer to the same ones again and again. */
interface ReadBudget {
  texts: number;
  vectors: number;
}

/**
 * A table in the flatbuffers encoding (https://flatbuffers.dev/internals/), which may be damaged: fields are read by
 * their number, and each method throws a RangeError if an address is not in the bytes.
 */
export class FlatTable {
  readonly #bytes: Buffer;
  readonly #at: number;
  /** Address of the offsets of the fields, which the encoding calls a virtual table. */
  readonly #fieldOffsets: number;
  readonly #budget: ReadBudget;

  private constructor(bytes: Buffer, at: number, budget: ReadBudget) {
    this.#bytes = bytes;
    this.#at = at;
    this.#budget = budget;
    this.#fieldOffsets = at - bytes.readInt32LE(at);
  }

  /** The table that a buffer begins with. */
  static root(bytes: Buffer): FlatTable {
    // Texts and vectors are read once, but tables may share one.
    return new FlatTable(bytes, bytes.readUInt32LE(0), { texts: MAX_TEXT_BYTES, vectors: 4 * bytes.length });
  }

  /** A signed integer of 8, 16 or 32 bits; `absent` if it is not set. */
  integer(field: number, bits: 8 | 16 | 32, absent = 0): number {
    const at = this.#addressOf(field);
    return at === undefined ? absent : this.#bytes.readIntLE(at, bits / 8);
  }

  /** An integer of 64 bits; 0 if it is not set. @throws RangeError beyond 2^53. */
  long(field: number): number {
    const at = this.#addressOf(field);
    return at === undefined ? 0 : readLong(this.#bytes, at);
  }

  text(field: number): string | undefined {
    const at = this.#follow(field);
    if (at === undefined) return undefined;
    const length = this.#bytes.readUInt32LE(at);
    this.#budget.texts -= length;
    if (at + 4 + length > this.#bytes.length || this.#budget.texts < 0)
      throw new RangeError(`a text of ${length} bytes`);
    return this.#bytes.toString('utf8', at + 4, at + 4 + length);
  }

  table(field: number): FlatTable | undefined {
    const at = this.#follow(field);
    return at === undefined ? undefined : new FlatTable(this.#bytes, at, this.#budget);
  }

  /** A vector of tables; empty if it is not set. */
  tables(field: number): readonly FlatTable[] {
    const addresses = this.#elements(field, 4);
    return addresses.map((at) => new FlatTable(this.#bytes, at + this.#bytes.readUInt32LE(at), this.#budget));
  }

  /** A vector of structs of a size, each as its bytes; empty if it is not set. */
  structs(field: number, size: number): readonly Buffer[] {
    return this.#elements(field, size).map((at) => this.#bytes.subarray(at, at + size));
  }

  /** A vector of 64-bit integers; empty if it is not set. @throws RangeError beyond 2^53. */
  longs(field: number): readonly number[] {
    return this.#elements(field, 8).map((at) => readLong(this.#bytes, at));
  }

  #elements(field: number, size: number): readonly number[] {
    const at = this.#follow(field);
    if (at === undefined) return [];
    return Array.from({ length: this.#countElements(at, size) }, (_, i) => at + 4 + i * size);
  }

  /** Number of elements of the vector at an address. */
  #countElements(at: number, size: number): number {
    const count = this.#bytes.readUInt32LE(at);
    this.#budget.vectors -= count * size;
    if (at + 4 + count * size > this.#bytes.length || count > MAX_ELEMENTS || this.#budget.vectors < 0)
      throw new RangeError(`a vector of ${count} elements`);
    return count;
  }

  /** Address of a field; undefined if it is not set. */
  #addressOf(field: number): number | undefined {
    const slot = 4 + 2 * field;
    if (slot >= this.#bytes.readUInt16LE(this.#fieldOffsets)) return undefined;
    const offset = this.#bytes.readUInt16LE(this.#fieldOffsets + slot);
    return offset === 0 ? undefined : this.#at + offset;
  }

  /** Address to which a field refers. */
  #follow(field: number): number | undefined {
    const at = this.#addressOf(field);
    return at === undefined ? undefined : at + this.#bytes.readUInt32LE(at);
  }
}

/** Reads an integer of 64 bits. @throws RangeError beyond 2^53. */
export function readLong(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new RangeError(`an integer of ${value}`);
  return value;
}
