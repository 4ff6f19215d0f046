import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  bool,
  CompressionType,
  dateDay,
  decimal,
  dictionary,
  float32,
  int16,
  int64,
  largeUtf8,
  list,
  setCompressionCodec,
  tableFromArrays,
  tableToIPC,
  timestamp,
  uint8,
  utf8,
} from '@uwdata/flechette';
import { compress as compressLz4, decompress as decompressLz4 } from 'lz4js';
import { type Inspection, inspectFile } from '../../src/describe/inspect-file.js';
import { loadCompressor } from '../../src/format/compressor.js';
import { tempDir } from '../helpers/temp.js';

const { signal } = new AbortController();
const START_MS = 1_583_020_800_000;
const ROWS = 3000;
const rows = Array.from({ length: ROWS }, (_, row) => row);

const zstd = await loadCompressor('zstd');
const decode = decompressLz4;

/** Writes a file with flechette and inspects it. */
async function inspectWritten(
  path: string,
  table: ReturnType<typeof tableFromArrays>,
  codec: number | null = null,
): Promise<Inspection> {
  // Set them again: code under test may have set other ones.
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode: (bytes) => compressLz4(bytes), decode });
  setCompressionCodec(CompressionType.ZSTD, { encode: (bytes) => zstd(bytes, 'fast'), decode });
  const bytes = tableToIPC(table, { format: 'file', codec: codec as 0 });
  await writeFile(path, bytes as Uint8Array);
  return inspectFile({ path, signal });
}

const TABLE = tableFromArrays(
  {
    symbol: rows.map((row) => `S${row % 3}`),
    local_timestamp: rows.map((row) => START_MS + row + (row % 7 === 0 ? -5 : 0)),
    id: rows.map((row) => `\u00e9 ${row}`),
    n: rows.map((row) => (row % 5 === 0 ? null : row)),
    side: rows.map((row) => row % 2),
    size: rows.map((row) => BigInt(row) * 10n ** 15n),
    ratio: rows.map((row) => row / 4),
    even: rows.map((row) => row % 2 === 0),
    day: rows.map(() => new Date('2020-03-01')),
  },
  {
    types: {
      symbol: dictionary(utf8(), int16()),
      local_timestamp: timestamp(1),
      id: largeUtf8(),
      n: int16(),
      side: uint8(),
      size: int64(),
      ratio: float32(),
      even: bool(),
      day: dateDay(),
    },
    maxBatchRows: 1000,
  },
);

for (const [name, codec] of Object.entries({ none: null, lz4: 0, zstd: 1 })) {
  test(`reads files by another writer with dictionaries and nulls; compression: ${name}`, async (t) => {
    const path = join(await tempDir(t), 'x.arrow');
    const { columns, first, last, ...inspection } = await inspectWritten(path, TABLE, codec);
    assert.deepEqual([inspection.rows, inspection.rowGroups, inspection.unread], [ROWS, 3, undefined]);
    assert.deepEqual(
      columns.map(({ name, type, nulls }) => [name, type, nulls]),
      [
        ['symbol', 'string', 0],
        ['local_timestamp', 'timestamp', 0],
        ['id', 'string', 0],
        ['n', 'int16', 600],
        ['side', 'uint8', 0],
        ['size', 'int64', 0],
        ['ratio', 'float', 0],
        ['even', 'boolean', 0],
        ['day', 'date', 0],
      ],
    );
    assert.deepEqual(inspection.timeRange, { from: (START_MS - 5) * 1000, to: (START_MS + ROWS - 1) * 1000 });
    assert.equal(inspection.outOfOrder, 428);
    assert.deepEqual(first[0], ['S0', (START_MS - 5) * 1000, '\u00e9 0', null, 0, 0, 0, true, '2020-03-01']);
    const lastRow = [
      'S2',
      (START_MS + 2999) * 1000,
      '\u00e9 2999',
      2999,
      1,
      2.999e18,
      749.75,
      false,
      '2020-03-01',
    ];
    assert.deepEqual(last[4], lastRow.with(5, '2999000000000000000'));
    assert.deepEqual([first.length, last.length], [5, 5]);
  });
}

test('rows at the ends of a file may be in several batches', async (t) => {
  const path = join(await tempDir(t), 'x.arrow');
  const table = tableFromArrays({ x: rows.slice(0, 14) }, { types: { x: int16() }, maxBatchRows: 3 });
  const { first, last } = await inspectWritten(path, table);
  assert.deepEqual(
    [first.flat(), last.flat()],
    [
      [0, 1, 2, 3, 4],
      [9, 10, 11, 12, 13],
    ],
  );
});

test('states why data of unsupported columns is missing', async (t) => {
  const path = join(await tempDir(t), 'x.arrow');
  const nested = tableFromArrays({ levels: [[1], [2, 3]] }, { types: { levels: list(int16()) } });
  const inspected = await inspectWritten(path, nested);
  assert.deepEqual([inspected.rows, inspected.unread], [2, 'its columns are nested']);
  assert.deepEqual(inspected.columns[0]?.type, 'list');
  const decimals = tableFromArrays({ price: [1, 2] }, { types: { price: decimal(18, 2) } });
  const { rows: count, unread } = await inspectWritten(path, decimals);
  assert.deepEqual([count, unread], [2, 'values of type decimal are not supported']);
});
