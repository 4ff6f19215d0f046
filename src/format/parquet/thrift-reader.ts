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

/** Limits of a struct, which keep the memory and the time of its reader small. */
interface ThriftLimits {
  /** Values in the whole struct. */
  readonly values: number;
  /** Values and bytes of each field of the struct, and of each item of the list that is read item by item. */
  readonly fieldValues: number;
  readonly fieldBytes: number;
  /** Field with a list of structs of which the reader holds only one at a time. */
  readonly streamedField?: number | undefined;
}

/**
 * Walks through a struct in Thrift's compact protocol without allocating memory, so that each count and length in it
 * is checked before a reader trusts it: it is in the bytes, within the limits, and nothing is nested too deep.
 * @returns the length of the struct in bytes.
 * @throws RangeError otherwise.
 */
export function checkThrift(bytes: Uint8Array, limits: ThriftLimits): number {
  return new ThriftCheck(bytes, limits).check();
}

class ThriftCheck {
  readonly #bytes: Uint8Array;
  readonly #limits: ThriftLimits;
  #at = 0;
  #values = 0;

  constructor(bytes: Uint8Array, limits: ThriftLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  check(): number {
    this.#struct(0, (type, id) => {
      if (type !== ThriftType.list || id !== this.#limits.streamedField)
        this.#limit(() => this.#value(type, 0));
      else this.#list(1, (item) => this.#limit(() => this.#value(item, 1)));
    });
    return this.#at;
  }

  #limit(walk: () => void): void {
    const at = this.#at;
    const values = this.#values;
    walk();
    const { fieldValues, fieldBytes } = this.#limits;
    if (this.#values - values > fieldValues)
      throw new RangeError(`an element of more than ${fieldValues} values`);
    if (this.#at - at > fieldBytes) throw new RangeError(`an element of more than ${fieldBytes} bytes`);
  }

  #struct(depth: number, onField: (type: number, id: number) => void): void {
    if (depth > MAX_DEPTH) throw new RangeError('structs nested too deep');
    let id = 0;
    for (;;) {
      const header = this.#byte();
      if (header === 0) return;
      // Zigzag: ids are not negative.
      id = header >> 4 === 0 ? this.#varint() / 2 : id + (header >> 4);
      const type = header & 0x0f;
      // A boolean field has its value in place of its type.
      if (type === ThriftType.true || type === ThriftType.false) this.#count();
      else onField(type, id);
    }
  }

  #value(type: number, depth: number): void {
    this.#count();
    switch (type) {
      case ThriftType.true:
      case ThriftType.false:
      case ThriftType.byte:
        this.#skip(1);
        return;
      case ThriftType.i16:
      case ThriftType.i32:
      case ThriftType.i64:
        this.#varint();
        return;
      case ThriftType.double:
        this.#skip(8);
        return;
      case ThriftType.binary:
        this.#skip(this.#varint());
        return;
      case ThriftType.list:
      case ThriftType.set:
        this.#list(depth + 1, (item) => this.#value(item, depth + 1));
        return;
      case ThriftType.struct:
        this.#struct(depth + 1, (field) => this.#value(field, depth + 1));
        return;
      default:
        throw new RangeError(`unknown type ${type}`);
    }
  }

  #list(depth: number, onItem: (type: number) => void): void {
    if (depth > MAX_DEPTH) throw new RangeError('lists nested too deep');
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#varint() : header >> 4;
    if (size > this.#bytes.length - this.#at) throw new RangeError(`a list of ${size} elements`);
    for (let i = 0; i < size; i++) onItem(header & 0x0f);
  }

  #count(): void {
    if (++this.#values > this.#limits.values) throw new RangeError(`more than ${this.#limits.values} values`);
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

  #skip(size: number): void {
    if (size > this.#bytes.length - this.#at) throw new RangeError('unexpected end of data');
    this.#at += size;
  }
}
