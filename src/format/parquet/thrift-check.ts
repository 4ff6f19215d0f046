import { ThriftType } from './thrift-writer.js';

/** Limits of a struct, which keep the memory and the time of its reader small. */
export interface ThriftLimits {
  /** Values in the whole struct. */
  readonly values: number;
  /** Values and bytes of each field of the struct, and of each item of the list that is read item by item. */
  readonly fieldValues: number;
  readonly fieldBytes: number;
  /** Field with a list of structs of which the reader holds only one at a time. */
  readonly streamedField?: number | undefined;
}

const MAX_DEPTH = 32;

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
