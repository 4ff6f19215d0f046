import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlatTable, readLong } from '../../../src/format/arrow/arrow-field-type.js';
import { MessageHeader } from '../../../src/format/arrow/arrow-message.js';
import { readArrowFooter } from '../../../src/format/arrow/arrow-reader.js';
import { createOutputOptions, OUTPUT_FORMATS } from '../../../src/format/output-formats.js';
import { createMemorySink } from '../../helpers/memory-sink.js';
import { encodeBatches, schemaOf, type TestColumn } from '../parquet/batches.js';
import { toRandomBytes } from './random-bytes.js';

const ROWS = 40;
const rows = Array.from({ length: ROWS }, (_, row) => row);

const COLUMNS: readonly TestColumn[] = [
  { name: 'symbol', kind: 'text', cells: rows.map(() => 'BTC') },
  { name: 'local_timestamp', kind: 'time', cells: rows.map((row) => 1_709_251_200_000_000 + row) },
  { name: 'id', kind: 'text', cells: rows.map((row) => (row % 2 ? null : `${row}`)) },
  { name: 'price', kind: 'number', cells: rows.map((row) => (row % 3 ? row : null)) },
  { name: 'is_snapshot', kind: 'boolean', cells: rows.map((row) => row < 3) },
];

async function arrowOf(
  compression: 'none' | 'lz4' | 'zstd',
  container: 'file' | 'stream',
  batchRows = 16,
): Promise<Buffer> {
  const format = OUTPUT_FORMATS.arrow;
  const options = createOutputOptions('arrow', { compression });
  const schema = schemaOf(COLUMNS);
  const sink = createMemorySink();
  const stream = format.openStream?.(sink, options);
  const writer =
    container === 'file'
      ? await format.createWriter(sink, schema, options)
      : await stream?.createWriter(schema);
  for (const batch of await encodeBatches(COLUMNS, batchRows, options)) await writer?.write(batch);
  await writer?.finish({ key: 'value' });
  if (container === 'stream') await stream?.end();
  return Buffer.from(sink.bytes());
}

interface Message {
  readonly at: number;
  readonly messageLength: number;
  readonly header: number;
  readonly table: FlatTable;
  readonly bodyLength: number;
}

/** The messages of a stream that begins at a position, and the position after its end. */
function readMessages(bytes: Buffer, start: number): { messages: Message[]; end: number } {
  const messages: Message[] = [];
  let at = start;
  for (;;) {
    assert.equal(bytes.readUInt32LE(at), 0xffffffff);
    const length = bytes.readInt32LE(at + 4);
    if (length === 0) return { messages, end: at + 8 };
    const message = FlatTable.root(bytes.subarray(at + 8, at + 8 + length));
    assert.equal(message.integer(0, 16), 4, 'metadata version V5');
    const table = message.table(2);
    assert.ok(table);
    const bodyLength = message.long(3);
    messages.push({ at, messageLength: 8 + length, header: message.integer(1, 8), table, bodyLength });
    at += 8 + length + bodyLength;
  }
}

for (const compression of OUTPUT_FORMATS.arrow.compressions as readonly ('none' | 'lz4' | 'zstd')[]) {
  for (const container of ['file', 'stream'] as const) {
    test(`messages, bodies and buffers of a ${container} are aligned; compression: ${compression}`, async () => {
      const bytes = await arrowOf(compression, container);
      const { messages, end } = readMessages(bytes, container === 'file' ? 8 : 0);
      assert.deepEqual(
        messages.map(({ header }) => header),
        [
          MessageHeader.schema,
          MessageHeader.recordBatch,
          MessageHeader.recordBatch,
          MessageHeader.recordBatch,
        ],
      );
      assert.deepEqual(
        messages.slice(1).map(({ table }) => table.long(0)),
        [16, 16, 8],
      );
      for (const { at, messageLength, table, bodyLength } of messages.slice(1)) {
        assert.deepEqual([at % 8, messageLength % 8, bodyLength % 8], [0, 0, 0]);
        const buffers = table
          .structs(2, 16)
          .map((buffer) => [readLong(buffer, 0), readLong(buffer, 8)] as const);
        let position = 0;
        for (const [offset, length] of buffers) {
          assert.equal(offset, position);
          position = Math.ceil((offset + length) / 8) * 8;
        }
        assert.equal(position, bodyLength);
        const nulls = table.structs(1, 16).map((node) => readLong(node, 8));
        assert.deepEqual(
          nulls.map((count) => count > 0),
          [false, false, true, true, false],
        );
        const lengths = buffers.map(([, length]) => length > 0);
        // Only columns with nulls have a validity buffer.
        assert.deepEqual(lengths, [
          ...[false, true, true],
          ...[false, true],
          ...[true, true, true],
          ...[true, true],
          ...[false, true],
        ]);
      }
      if (container === 'stream') assert.equal(end, bytes.length);
    });
  }

  test(`the footer states where the record batches are; compression: ${compression}`, async () => {
    const bytes = await arrowOf(compression, 'file');
    assert.equal(bytes.toString('latin1', 0, 8), 'ARROW1\0\0');
    assert.equal(bytes.toString('latin1', bytes.length - 6), 'ARROW1');
    const footer = await readArrowFooter(toRandomBytes(bytes), 'day.arrow');
    const { messages, end } = readMessages(bytes, 8);
    assert.deepEqual(
      footer.batches,
      messages
        .slice(1)
        .map(({ at, messageLength, bodyLength }) => ({ offset: at, messageLength, bodyLength })),
    );
    assert.equal(bytes.readUInt32LE(bytes.length - 10), bytes.length - 10 - end);
    assert.deepEqual([footer.keyValues, footer.rows, footer.dictionaries], [{ key: 'value' }, ROWS, []]);
    assert.deepEqual(
      footer.fields.map(({ name, type }) => `${name} ${type.name}`),
      ['symbol string', 'local_timestamp timestamp', 'id string', 'price double', 'is_snapshot boolean'],
    );
  });
}

test('buffers that do not shrink are stored as they are', async () => {
  const bytes = await arrowOf('lz4', 'stream');
  const [, batch] = readMessages(bytes, 0).messages;
  assert.ok(batch);
  const body = batch.at + batch.messageLength;
  const lengths = batch.table
    .structs(2, 16)
    .filter((buffer) => readLong(buffer, 8) > 0)
    .map((buffer) => Number(bytes.readBigInt64LE(body + readLong(buffer, 0))));
  assert.ok(lengths.includes(-1), 'a validity of one byte');
  assert.ok(lengths.includes(48), 'BTC, 16 times');
});
