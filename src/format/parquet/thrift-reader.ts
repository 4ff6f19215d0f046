import { ThriftType } from './thrift-writer.js';

export type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** Fields of a struct by their ids. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const MAX_DEPTH = 32;

/**
 * Reads a struct in Thrift's compact protocol without knowing its fields. Integers beyond 2^53 lose digits.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 * @param onItem called with each item of the lists of structs that the struct has as fields: if it returns true, the
 * item is used and is not in the result.
 * @throws RangeError for invalid bytes.
 */
export function readThrift(bytes: Uint8Array, onItem?: ItemListener): ThriftStruct {
  return new ThriftReader(bytes).struct(0, onItem);
}

type ItemListener = (field: number, item: ThriftStruct) => boolean;

class ThriftReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  struct(depth: number, onItem?: ItemListener): ThriftStruct {
    if (depth > MAX_DEPTH) throw new RangeError('structs nested too deep');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const header = this.#byte();
      if (header === 0) return fields;
      id = header >> 4 === 0 ? this.#zigzag() : id + (header >> 4);
      const type = header & 0x0f;
      // A boolean field has its value in place of its type.
      const isBoolean = type === ThriftType.true || type === ThriftType.false;
      if (isBoolean) fields.set(id, type === ThriftType.true);
      else if (onItem && type === ThriftType.list)
        fields.set(
          id,
          this.#list(depth + 1, (item) => onItem(id, item)),
        );
      else fields.set(id, this.#value(type, depth));
    }
  }

  #value(type: number, depth: number): ThriftValue {
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

  #list(depth: number, onItem?: (item: ThriftStruct) => boolean): readonly ThriftValue[] {
    if (depth > MAX_DEPTH) throw new RangeError('lists nested too deep');
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#varint() : header >> 4;
    // Each element takes at least a byte: refuse an invalid size before memory is allocated for it.
    if (size > this.#bytes.length - this.#at) throw new RangeError(`a list of ${size} elements`);
    const type = header & 0x0f;
    const values: ThriftValue[] = [];
    for (let i = 0; i < size; i++) {
      const value = this.#value(type, depth);
      if (type !== ThriftType.struct || !onItem?.(value as ThriftStruct)) values.push(value);
    }
    return values;
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
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('unexpected end of data');
    return byte;
  }

  #readBytes(size: number): Uint8Array {
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new RangeError('unexpected end of data');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
