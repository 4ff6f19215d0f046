import { ByteWriter } from '../byte-writer.js';
import type { Compress } from '../compression/compress.js';
import { Encoding, type EncodingId, PageType } from './format-constants.js';
import { ThriftWriter } from './thrift-writer.js';

/** Distinct values, PLAIN-encoded. */
export interface DictionaryValues {
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** Appends a page to `out`; returns its size before compression, with the header, in bytes. */
export function writeDataPage(
  out: ByteWriter,
  page: { readonly rows: number; readonly encoding: EncodingId; readonly body: Uint8Array },
  compress: Compress,
): number {
  return writePage(out, PageType.data, page.body, compress(page.body, 'fast'), (thrift) =>
    thrift.struct(5, () => {
      thrift.i32(1, page.rows);
      thrift.i32(2, page.encoding);
      thrift.i32(3, Encoding.rle);
      thrift.i32(4, Encoding.rle);
    }),
  );
}

export function writeDictionaryPage(
  out: ByteWriter,
  { bytes, size }: DictionaryValues,
  compress: Compress,
): number {
  // Use more effort: values compress better than indices, to a third less with many values.
  return writePage(out, PageType.dictionary, bytes, compress(bytes, 'small'), (thrift) =>
    thrift.struct(7, () => {
      thrift.i32(1, size);
      thrift.i32(2, Encoding.plain);
    }),
  );
}

function writePage(
  out: ByteWriter,
  type: number,
  body: Uint8Array,
  compressed: Uint8Array,
  writeTypeHeader: (thrift: ThriftWriter) => void,
): number {
  const header = new ByteWriter(64);
  const thrift = new ThriftWriter(header);
  thrift.i32(1, type);
  thrift.i32(2, body.length);
  thrift.i32(3, compressed.length);
  writeTypeHeader(thrift);
  thrift.end();
  out.append(header.written());
  out.append(compressed);
  return header.length + body.length;
}
