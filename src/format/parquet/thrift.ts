import { ByteWriter } from '../byte-writer.js';

/** Types of the Thrift compact protocol. */
const ThriftType = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

/**
 * Writes a struct in Thrift's compact protocol, with fields in ascending order of their ids:
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export class ThriftWriter {
  readonly #out: ByteWriter;
  #lastId = 0;

  constructor(out = new ByteWriter()) {
    this.#out = out;
  }

  i8(id: number, value: number): void {
    this.#header(id, ThriftType.byte);
    this.#out.byte(value);
  }

  i16(id: number, value: number): void {
    this.#header(id, ThriftType.i16);
    this.#out.zigzag(value);
  }

  i32(id: number, value: number): void {
    this.#header(id, ThriftType.i32);
    this.#out.zigzag(value);
  }

  /** Writes sizes, counts and offsets of at most 2^52. */
  i64(id: number, value: number): void {
    this.#header(id, ThriftType.i64);
    this.#out.zigzag(value);
  }

  boolean(id: number, value: boolean): void {
    this.#header(id, value ? ThriftType.true : ThriftType.false);
  }

  binary(id: number, value: Uint8Array): void {
    this.#header(id, ThriftType.binary);
    this.#bytes(value);
  }

  string(id: number, value: string): void {
    this.binary(id, Buffer.from(value));
  }

  struct(id: number, write: () => void): void {
    this.#header(id, ThriftType.struct);
    this.#struct(write);
  }

  structs<T>(id: number, items: readonly T[], write: (item: T, index: number) => void): void {
    this.#list(id, ThriftType.struct, items.length);
    items.forEach((item, index) => {
      this.#struct(() => write(item, index));
    });
  }

  /** Writes a list of structs that were encoded by other writers, including their `end`. */
  encodedStructs(id: number, items: readonly Uint8Array[]): void {
    this.#list(id, ThriftType.struct, items.length);
    for (const item of items) this.#out.append(item);
  }

  i32s(id: number, items: readonly number[]): void {
    this.#list(id, ThriftType.i32, items.length);
    for (const item of items) this.#out.zigzag(item);
  }

  strings(id: number, items: readonly string[]): void {
    this.#list(id, ThriftType.binary, items.length);
    for (const item of items) this.#bytes(Buffer.from(item));
  }

  /** Ends the outermost struct. */
  end(): void {
    this.#out.byte(0);
  }

  #header(id: number, type: number): void {
    const delta = id - this.#lastId;
    if (delta > 0 && delta < 16) this.#out.byte((delta << 4) | type);
    else {
      this.#out.byte(type);
      this.#out.zigzag(id);
    }
    this.#lastId = id;
  }

  #list(id: number, type: number, size: number): void {
    this.#header(id, ThriftType.list);
    if (size < 15) this.#out.byte((size << 4) | type);
    else {
      this.#out.byte(0xf0 | type);
      this.#out.varint(size);
    }
  }

  #bytes(value: Uint8Array): void {
    this.#out.varint(value.length);
    this.#out.append(value);
  }

  #struct(write: () => void): void {
    const outer = this.#lastId;
    this.#lastId = 0;
    write();
    this.#out.byte(0);
    this.#lastId = outer;
  }
}

export type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** Fields of a struct by their ids. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const MAX_DEPTH = 32;

/** Limits of a struct, which keep the memory and the time of its reader small. */
interface ThriftLimits {
  /** Values in the whole struct. */
  readonly values: number;
  /** Values and bytes of each field of the struct, and of each item of the streamed list. */
  readonly fieldValues: number;
  readonly fieldBytes: number;
  /** Field with a list of structs of which the caller holds only one at a time. */
  readonly streamedField?: number | undefined;
}

type ItemListener = (field: number, item: ThriftStruct) => boolean;

/**
 * Reads a struct in Thrift's compact protocol without knowing its fields. Integers beyond 2^53 lose digits. Memory is
 * allocated only for values within the limits and the bytes.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 * @param onItem called with each item of the lists of structs that the struct has as fields: if it returns true, the
 * item is used and is not in the result.
 * @returns the struct, and its length in bytes.
 * @throws RangeError for invalid bytes, for structs nested too deep, and beyond a limit.
 */
export function readThrift(
  bytes: Uint8Array,
  limits: ThriftLimits,
  onItem?: ItemListener,
): { readonly struct: ThriftStruct; readonly length: number } {
  const reader = new ThriftReader(bytes, limits);
  return { struct: reader.struct(0, onItem), length: reader.at };
}

class ThriftReader {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #limits: ThriftLimits;
  #values = 0;
  /** Limits of the field, or of the item of the streamed list, that is being read. */
  #end = 0;
  #maxValues = 0;

  constructor(bytes: Uint8Array, limits: ThriftLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  struct(depth: number, onItem?: ItemListener): ThriftStruct {
    if (depth > MAX_DEPTH) throw new RangeError('structs nested too deep');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      if (depth === 0) this.#beginElement();
      const header = this.#byte();
      if (header === 0) return fields;
      id = header >> 4 === 0 ? this.#zigzag() : id + (header >> 4);
      fields.set(id, this.#field(header & 0x0f, depth, id, onItem));
    }
  }

  #field(type: number, depth: number, id: number, onItem: ItemListener | undefined): ThriftValue {
    // A boolean field has its value in place of its type.
    const isBoolean = type === ThriftType.true || type === ThriftType.false;
    if (!isBoolean && (depth > 0 || type !== ThriftType.list)) return this.#value(type, depth);
    this.#count();
    if (isBoolean) return type === ThriftType.true;
    return this.#list(1, id === this.#limits.streamedField, onItem && ((item) => onItem(id, item)));
  }

  #value(type: number, depth: number): ThriftValue {
    this.#count();
    switch (type) {
      case ThriftType.true:
      case ThriftType.false:
        return this.#byte() === ThriftType.true;
      case ThriftType.byte:
        return (this.#byte() << 24) >> 24;
      case ThriftType.i16:
      case ThriftType.i32:
      case ThriftType.i64:
        return this.#zigzag();
      case ThriftType.double:
        return Buffer.from(this.#readBytes(8)).readDoubleLE();
      case ThriftType.binary:
        return this.#readBytes(this.#varint());
      case ThriftType.list:
      case ThriftType.set:
        return this.#list(depth + 1);
      case ThriftType.struct:
        return this.struct(depth + 1);
      default:
        throw new RangeError(`unknown type ${type}`);
    }
  }

  /** @param isStreamed whether the limits of a field hold for each item. */
  #list(depth: number, isStreamed = false, onItem?: (item: ThriftStruct) => boolean): readonly ThriftValue[] {
    if (depth > MAX_DEPTH) throw new RangeError('lists nested too deep');
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#varint() : header >> 4;
    // Each element takes at least a byte: refuse an invalid size before memory is allocated for it.
    if (size > this.#bytes.length - this.at) throw new RangeError(`a list of ${size} elements`);
    const type = header & 0x0f;
    const values: ThriftValue[] = [];
    for (let i = 0; i < size; i++) {
      if (isStreamed) this.#beginElement();
      const value = this.#value(type, depth);
      if (type !== ThriftType.struct || !onItem?.(value as ThriftStruct)) values.push(value);
    }
    return values;
  }

  #beginElement(): void {
    this.#end = Math.min(this.#bytes.length, this.at + this.#limits.fieldBytes);
    this.#maxValues = Math.min(this.#limits.values, this.#values + this.#limits.fieldValues);
  }

  #count(): void {
    if (++this.#values <= this.#maxValues) return;
    const { values, fieldValues } = this.#limits;
    const isElement = this.#maxValues < values;
    throw new RangeError(
      isElement ? `an element of more than ${fieldValues} values` : `more than ${values} values`,
    );
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError('an integer of more than ten bytes');
  }

  #byte(): number {
    this.#skip(1);
    return this.#bytes[this.at - 1] as number;
  }

  #readBytes(size: number): Uint8Array {
    this.#skip(size);
    return this.#bytes.subarray(this.at - size, this.at);
  }

  #skip(size: number): void {
    this.at += size;
    if (this.at <= this.#end) return;
    const isCutOff = this.at > this.#bytes.length;
    throw new RangeError(
      isCutOff ? 'unexpected end of data' : `an element of more than ${this.#limits.fieldBytes} bytes`,
    );
  }
}
