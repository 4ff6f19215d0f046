import { type Cell, toIntegerCell } from '../file-content.js';
import { ARROW_TIME_UNITS, type ArrowTimeUnit, TypeNumber } from './arrow-message.js';

/** Type of a field of any writer. */
export interface ArrowFieldType {
  /** `timestamp`, `string`, `int64`, `double` …; of a dictionary, the type of its values. */
  readonly name: string;
  /**
   * Buffers after the validity: `fixed` values of one size, `variable` ones with offsets, or `views`. Undefined for
   * nested types.
   */
  readonly layout: 'none' | 'fixed' | 'variable' | 'views' | undefined;
  /** Size of an offset, for the layout `variable`. */
  readonly offsetBytes: 4 | 8;
  /** Decodes the value of a row of `fixed` values, or the bytes of another value. Undefined if it is unsupported. */
  readonly decode: ((values: Buffer, row: number) => Cell) | undefined;
}

/** Parses the type of a Field table (Schema.fbs). */
export function parseFieldType(field: FlatTable): ArrowFieldType {
  const number = field.integer(2, 8);
  const type = field.table(3);
  if (!type) throw new RangeError('a field has no type');
  switch (number) {
    case TypeNumber.null:
      return { ...FIXED, name: 'null', layout: 'none', decode: () => null };
    case TypeNumber.int:
      return parseIntegerType(type);
    case TypeNumber.double:
      return FLOATS[type.integer(0, 16)] ?? { ...FIXED, name: 'float', decode: undefined };
    case TypeNumber.bool:
      return { ...FIXED, name: 'boolean', decode: isBitSet };
    case TypeNumber.timestamp: {
      const toMicroseconds = TO_MICROSECONDS[ARROW_TIME_UNITS[type.integer(0, 16)] ?? 's'];
      return {
        ...FIXED,
        name: 'timestamp',
        decode: (values, row) => toMicroseconds(values.readBigInt64LE(8 * row)),
      };
    }
    case DATE:
      return {
        ...FIXED,
        name: 'date',
        decode: type.integer(0, 16, DATE_MILLISECONDS) === 0 ? decodeDay : decodeDate,
      };
    case TypeNumber.fixedSizeBinary: {
      const size = type.integer(0, 32);
      return {
        ...FIXED,
        name: 'binary',
        decode: (values, row) => toHex(values.subarray(size * row, size * (row + 1))),
      };
    }
    default:
      return TEXTS[number] ?? { ...FIXED, name: NAMES[number] ?? `type ${number}`, ...OTHER_LAYOUTS[number] };
  }
}

const DATE = 8;
const DATE_MILLISECONDS = 1;

const FIXED = { layout: 'fixed', offsetBytes: 4, decode: undefined } as const;

const utf8 = (bytes: Buffer): string => bytes.toString('utf8');
const toHex = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;

/** Types of texts and bytes, by their numbers in the union Type (Schema.fbs). */
const TEXTS: Readonly<Record<number, ArrowFieldType>> = {
  4: { name: 'binary', layout: 'variable', offsetBytes: 4, decode: toHex },
  5: { name: 'string', layout: 'variable', offsetBytes: 4, decode: utf8 },
  19: { name: 'binary', layout: 'variable', offsetBytes: 8, decode: toHex },
  20: { name: 'string', layout: 'variable', offsetBytes: 8, decode: utf8 },
  23: { name: 'binary', layout: 'views', offsetBytes: 4, decode: toHex },
  24: { name: 'string', layout: 'views', offsetBytes: 4, decode: utf8 },
};

/** Names of the types whose values are not decoded. */
const NAMES: Readonly<Record<number, string>> = {
  7: 'decimal',
  9: 'time',
  11: 'interval',
  12: 'list',
  13: 'struct',
  14: 'union',
  16: 'fixed_size_list',
  17: 'map',
  18: 'duration',
  21: 'large_list',
  22: 'run_end_encoded',
  25: 'list_view',
  26: 'large_list_view',
};

const NESTED = { layout: undefined };
const OTHER_LAYOUTS: Readonly<Record<number, { readonly layout: undefined }>> = Object.fromEntries(
  [12, 13, 14, 16, 17, 21, 22, 25, 26].map((number) => [number, NESTED]),
);

const FLOATS: Readonly<Record<number, ArrowFieldType>> = {
  1: { ...FIXED, name: 'float', decode: (values, row) => values.readFloatLE(4 * row) },
  2: { ...FIXED, name: 'double', decode: (values, row) => values.readDoubleLE(8 * row) },
};

/** The type of an Int table; without one, that of the indices of a dictionary. */
export function parseIntegerType(type: FlatTable | undefined): ArrowFieldType {
  const bits = type ? type.integer(0, 32) : 32;
  const isSigned = type ? type.integer(1, 8) !== 0 : true;
  const name = `${isSigned ? '' : 'u'}int${bits}`;
  const bytes = bits / 8;
  if (bits === 64) {
    const read = isSigned ? Buffer.prototype.readBigInt64LE : Buffer.prototype.readBigUInt64LE;
    return { ...FIXED, name, decode: (values, row) => toIntegerCell(read.call(values, 8 * row)) };
  }
  if (bits !== 8 && bits !== 16 && bits !== 32) throw new RangeError(`an integer of ${bits} bits`);
  const read = isSigned ? Buffer.prototype.readIntLE : Buffer.prototype.readUIntLE;
  return { ...FIXED, name, decode: (values, row) => read.call(values, bytes * row, bytes) };
}

const TO_MICROSECONDS: Readonly<Record<ArrowTimeUnit, (value: bigint) => Cell>> = {
  s: (value) => toIntegerCell(value * 1_000_000n),
  ms: (value) => toIntegerCell(value * 1000n),
  us: toIntegerCell,
  ns: (value) => toIntegerCell(value / 1000n),
};

/** Whether the bit of a row is set; lowest bits come first. */
export function isBitSet(bits: Buffer, row: number): boolean {
  return ((bits.readUInt8(row >>> 3) >>> (row & 7)) & 1) === 1;
}

const MS_PER_DAY = 86_400_000;

function decodeDay(values: Buffer, row: number): string {
  return toDate(values.readInt32LE(4 * row) * MS_PER_DAY);
}

function decodeDate(values: Buffer, row: number): string {
  return toDate(Number(values.readBigInt64LE(8 * row)));
}

/** @throws RangeError if no calendar has it. */
function toDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/T.*/, '');
}

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
