import assert from 'node:assert/strict';
import { CompressionType, setCompressionCodec, type Table, tableFromIPC } from '@uwdata/flechette';
import { decompress as decompressZstd } from 'fzstd';
import { decompress as decompressLz4 } from 'lz4js';

const encode = (): never => assert.fail('tests only read with flechette');

/** Reads a file or a stream with flechette; times are integers or milliseconds, integers bigints. */
export function readTable(bytes: Uint8Array): Table {
  // Set it again: code under test sets other ones.
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: (frame) => decompressLz4(frame) });
  setCompressionCodec(CompressionType.ZSTD, { encode, decode: (frame) => decompressZstd(frame).slice() });
  return tableFromIPC(Uint8Array.from(bytes), { useBigInt: true });
}

/** Reads the cells by column; times are microseconds. */
export function readWithFlechette(bytes: Uint8Array): readonly (readonly unknown[])[] {
  const table = readTable(bytes);
  return table.schema.fields.map(({ name }) => {
    const column = table.getChild(name);
    return column.data.flatMap((batch) =>
      Array.from({ length: batch.length }, (_, row) => {
        if (batch.at(row) === null) return null;
        // flechette converts times to milliseconds, and some microseconds are lost.
        const value = batch.values instanceof BigInt64Array ? batch.values[row] : batch.at(row);
        return typeof value === 'bigint' ? Number(value) : value;
      }),
    );
  });
}
