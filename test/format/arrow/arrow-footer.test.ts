import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import fc from 'fast-check';
import { TickhaulError } from '../../../src/base/errors.js';
import { countRows, readArrowFooter } from '../../../src/format/arrow/arrow-reader.js';
import { createArrowWriter } from '../../../src/format/arrow/arrow-writer.js';
import { inspectArrow } from '../../../src/format/arrow/inspect-arrow.js';
import {
  type EncodedRecordBatch,
  RecordBatchBuilder,
} from '../../../src/format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../../src/format/byte-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';
import { rounds } from '../../helpers/services.js';
import { toRandomBytes } from './random-bytes.js';

/** A file with one column of nulls. @param batches number of record batches, with 3 rows each. */
async function writeFile(
  batches: number,
  metadata: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const sink = createMemorySink();
  const fields = [{ name: 'price', type: { name: 'double' }, nullable: true } as const];
  const writer = createArrowWriter(sink, { fields }, 'file');
  const values = new Uint8Array(Float64Array.of(1, 2, 3).buffer);
  for (let i = 0; i < batches; i++) await writer.writeBatch(encode(values));
  await writer.finish(metadata);
  return sink.bytes();
}

function encode(values: Uint8Array): EncodedRecordBatch {
  const builder = new RecordBatchBuilder(new ByteWriter(), undefined);
  builder.add({ length: 3, nullCount: 0, buffers: [new Uint8Array(), values] });
  return builder.finish(3);
}

/** A file of another writer, with a batch of five rows. */
const FOREIGN = tableToIPC(tableFromArrays({ x: [1, 2, 3, 4, 5] }), { format: 'file' }) as Uint8Array;

const read = (bytes: Uint8Array) => readArrowFooter(toRandomBytes(bytes), 'day.arrow');

test('counts the rows of files with and without their number in the footer', async () => {
  for (const [bytes, rows] of [[await writeFile(4), 12] as const, [FOREIGN, 5] as const]) {
    const footer = await read(bytes);
    assert.equal(footer.rows, bytes === FOREIGN ? undefined : rows);
    assert.equal(await countRows(toRandomBytes(bytes), 'day.arrow', footer), rows);
  }
});

test('reads a footer that is larger than the first read', async () => {
  const bytes = await writeFile(5000, { long: 'x'.repeat(100_000) });
  const footer = await read(bytes);
  assert.equal(footer.batches.length, 5000);
  assert.equal(footer.keyValues['long']?.length, 100_000);
});

test('a file that is cut off anywhere is corrupt', async () => {
  const bytes = await writeFile(2, { key: 'value' });
  for (let length = 0; length < bytes.length; length++) {
    await assert.rejects(read(bytes.subarray(0, length)), { code: 'corrupt' }, `${length} bytes`);
  }
});

test('says of a stream that it has no footer', async () => {
  const stream = tableToIPC(tableFromArrays({ x: [1] }), { format: 'stream' }) as Uint8Array;
  await assert.rejects(read(stream), {
    code: 'corrupt',
    message: 'day.arrow: an Arrow stream, not a file; only files can be read here',
  });
});

test('a damaged file is corrupt, or has another content', async () => {
  const { signal } = new AbortController();
  for (const original of [await writeFile(2, { key: 'value' }), FOREIGN]) {
    const property = fc.asyncProperty(fc.nat(original.length - 1), fc.nat(255), async (at, byte) => {
      const bytes = Uint8Array.from(original);
      bytes[at] = byte;
      try {
        await inspectArrow('day.arrow', toRandomBytes(bytes), signal);
      } catch (error) {
        assert.ok(error instanceof TickhaulError && error.code === 'corrupt', String(error));
      }
    });
    await fc.assert(property, { numRuns: rounds(1000) });
  }
});
