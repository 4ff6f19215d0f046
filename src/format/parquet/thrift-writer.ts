import { ByteWriter } from '../byte-writer.js';

/** Types of the Thrift compact protocol. */
export const ThriftType = {
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
