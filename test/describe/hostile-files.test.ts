import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Inspection, inspectFile } from '../../src/describe/inspect-file.js';
import { ZstdFrames } from '../../src/format/decompress.js';
import { Encoding, PhysicalType } from '../../src/format/parquet/parquet-schema.js';
import { readThrift } from '../../src/format/parquet/thrift.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import {
  dataPage,
  dictionaryPage,
  endlessRun,
  hostileParquet,
  struct,
  varint,
  withFooter,
} from './hostile-parquet.js';

async function inspectBytes(t: TestContext, name: string, bytes: Buffer | string): Promise<Inspection> {
  const path = join(await tempDir(t), name);
  await writeFile(path, bytes);
  return inspectFile({ path, signal: t.signal });
}

const corrupt = (message: RegExp) => ({ code: 'corrupt', message });

test('a run of 2^30 values in an 8 KB Parquet file is not read', async (t) => {
  const bytes = hostileParquet({ rows: 2 ** 30, pages: endlessRun() });
  const { rows, unread, first } = await inspectBytes(t, 'x.parquet', bytes);
  assert.equal(rows, 2 ** 30);
  assert.match(unread ?? '', /^it takes more than 64\d{6} steps to read$/);
  assert.deepEqual(first, []);
});

test('values of a Parquet file are read one by one, however few bytes they have', async (t) => {
  const run = Buffer.concat([Buffer.of(1), varint(2 * 100_000), Buffer.of(0)]);
  const pages = [dictionaryPage(1, Buffer.alloc(8, 1)), dataPage(100_000, Encoding.rleDictionary, run)];
  const { outOfOrder, last, unread } = await inspectBytes(
    t,
    'x.parquet',
    hostileParquet({ rows: 100_000, pages }),
  );
  assert.deepEqual([outOfOrder, last.length, unread], [0, 5, undefined]);
});

const LONG = Buffer.alloc(8);
const DAMAGED_PAGES: readonly (readonly [string, Buffer, RegExp])[] = [
  [
    'a page that is larger than its column',
    dataPage(1, Encoding.plain, LONG).subarray(0, -1),
    /outside of its column/,
  ],
  ['a page of another size than it states', dataPage(1, Encoding.plain, LONG, 9), /a page of 8 bytes, not 9/],
  ['a page of more values than it has', dataPage(2, Encoding.plain, LONG), /outside of its data/],
  [
    'a page of fewer rows than its row group',
    dataPage(1, Encoding.plain, LONG),
    /fewer rows than its row group/,
  ],
  ['a negative number of values', dataPage(-1, Encoding.plain, LONG), /-1 values is too large/],
  [
    'a dictionary of more values than bytes',
    dictionaryPage(2 ** 31 - 1, LONG),
    /a dictionary of 2147483647 values/,
  ],
  ['indices without a dictionary', dataPage(2, Encoding.rleDictionary, LONG), /a dictionary is missing/],
  [
    'deltas in blocks of 2^31 values',
    dataPage(2, Encoding.deltaBinaryPacked, deltas(2 ** 31, 1)),
    /a block of 2147483648/,
  ],
  ['deltas without parts', dataPage(2, Encoding.deltaBinaryPacked, deltas(128, 0)), /in 0 parts/],
  [
    'an integer of too many bytes',
    dataPage(2, Encoding.deltaBinaryPacked, Buffer.alloc(99, 0x80)),
    /more than ten bytes/,
  ],
];

function deltas(block: number, parts: number): Buffer {
  return Buffer.concat([varint(block), varint(parts), varint(2), varint(0)]);
}

for (const [name, page, message] of DAMAGED_PAGES) {
  test(`refuses ${name} in a Parquet file`, async (t) => {
    const file = { rows: 2, pages: [page] };
    const { unread } = await inspectBytes(t, 'x.parquet', hostileParquet(file));
    assert.match(unread ?? '', message);
    const own = hostileParquet({ ...file, createdBy: 'tickhaul version 0.1.0' });
    await assert.rejects(inspectBytes(t, 'x.parquet', own), corrupt(message));
  });
}

test('texts that share a million bytes each are limited by steps', async (t) => {
  const count = 2000;
  const shared = 1_000_000;
  // The first text has a million bytes; each of the others shares all of them, and adds none.
  const prefixes = packDeltas(0, 0, [shared, ...Array<number>(count - 2).fill(0)], count);
  const suffixes = packDeltas(shared, -shared, [0, ...Array<number>(count - 2).fill(shared)], count);
  const pages = [
    dataPage(count, Encoding.deltaByteArray, Buffer.concat([prefixes, suffixes, Buffer.alloc(shared, 65)])),
  ];
  const file = { rows: count, pages, physical: PhysicalType.byteArray };
  const { unread } = await inspectBytes(t, 'x.parquet', hostileParquet(file));
  assert.match(unread ?? '', /steps to read/);
  const few = await inspectBytes(t, 'x.parquet', hostileParquet({ ...file, rows: 3 }));
  assert.deepEqual(
    [few.unread, few.first.map(([text]) => String(text).length)],
    [undefined, Array(3).fill(shared)],
  );
});

/** DELTA_BINARY_PACKED integers: one block of 2048 deltas, each of 20 bits. */
function packDeltas(first: number, minDelta: number, values: readonly number[], count: number): Buffer {
  const packed = Buffer.alloc((2048 * 20) / 8);
  for (const [i, value] of values.entries()) {
    for (let bit = 0; bit < 20; bit++) {
      const at = 20 * i + bit;
      packed[at >>> 3] = (packed[at >>> 3] as number) | (((value >>> bit) & 1) << (at & 7));
    }
  }
  const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
  const header = [2048, 1, count, zigzag(first), zigzag(minDelta)].map(varint);
  return Buffer.concat([...header, Buffer.of(20), packed]);
}

test('more row groups than are read are counted', async (t) => {
  const { rowGroups, unread } = await inspectBytes(t, 'x.parquet', hostileParquet({ rowGroups: 100_001 }));
  assert.deepEqual([rowGroups, unread], [100_001, 'it has more than 100000 row groups']);
});

test('the counts of a Parquet footer are checked before anything is allocated for them', async (t) => {
  const list = (head: readonly number[], size: number, bytes: number): Buffer =>
    withFooter(
      Buffer.alloc(0),
      Buffer.concat([Buffer.from([0x15, 4, ...head]), varint(size), Buffer.alloc(bytes)]),
    );
  // Fields 2 and 5 are lists of structs; a struct has a byte at least.
  const cases = [
    [list([0x19, 0xfc], 2 ** 31, 100), /a list of 2147483648 elements/],
    [list([0x49, 0xfc], 300_000, 300_001), /an element of more than 250000 values/],
    [hostileParquet({ keyValueBytes: 16 * 1024 * 1024 }), /an element of more than 16777216 bytes/],
    [withFooter(Buffer.alloc(0), Buffer.alloc(100, 0x1c)), /nested too deep/],
    [
      withFooter(Buffer.alloc(0), Buffer.concat([Buffer.of(0x15), Buffer.alloc(100, 0x80)])),
      /more than ten bytes/,
    ],
  ] as const;
  for (const [bytes, message] of cases)
    await assert.rejects(inspectBytes(t, 'x.parquet', bytes), corrupt(message));
});

test('limits of a Thrift struct hold for each item of the streamed list', () => {
  const bytes = struct((thrift) => thrift.structs(4, [0, 1, 2], () => thrift.string(1, 'abc')));
  const limits = { values: 100, fieldValues: 2, fieldBytes: 6, streamedField: 4 };
  assert.equal(readThrift(bytes, limits).length, bytes.length);
  assert.throws(() => readThrift(bytes, { ...limits, fieldBytes: 5 }), /more than 5 bytes/);
  assert.throws(() => readThrift(bytes, { ...limits, fieldValues: 1 }), /more than 1 values/);
  assert.throws(() => readThrift(bytes, { ...limits, values: 5 }), /more than 5 values/);
  assert.throws(() => readThrift(bytes, { ...limits, streamedField: 3 }), /more than/);
});

test('a zstd frame with a window of 2 GB is refused before memory is allocated for it', async (t) => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 1, 0, 0]);
  await assert.rejects(inspectBytes(t, 'x.ndjson.zst', frame), corrupt(/a zstd window of 2147483648 bytes/));
});

test('windows of zstd frames are limited by the bytes of the stream', () => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 1, 0, 0]);
  const frames = new ZstdFrames();
  // Bytes may arrive one at a time.
  for (const byte of frame) frames.push(Uint8Array.of(byte));
  assert.deepEqual([frames.count, frames.isComplete], [1, true]);
  assert.throws(() => {
    for (let i = 0; i < 600; i++) frames.push(frame);
  }, /windows of its zstd frames/);
});

const NDJSON: readonly (readonly [string, string, RegExp])[] = [
  [
    'values nested 30,000 deep',
    `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}\n`,
    /line 1: a value is nested too deep/,
  ],
  [
    'values nested deep in a long line',
    `{"a":${'['.repeat(99_000)}${']'.repeat(99_000)}}\n`,
    /nested too deep/,
  ],
  ['a line of a million values', `{"a":[${'1,'.repeat(500_000)}1]}\n`, /line 1: more than 500000 values/],
  ['a line of 5 MB', `{"a":"${'x'.repeat(5e6)}"}\n`, /line 1 is longer than 4194304 bytes/],
  [
    'rows of 10,001 names',
    Array.from({ length: 10_001 }, (_, i) => `{"k${i}":1}`).join('\n'),
    /line 10001: too many or too long names/,
  ],
  ['a long name', `{"${'k'.repeat(1025)}":1}\n`, /line 1: too many or too long names/],
];

for (const [name, text, message] of NDJSON) {
  test(`NDJSON with ${name} is corrupt`, async (t) => {
    for (const [file, bytes] of [['x.ndjson', text] as const, ['x.ndjson.gz', gzipSync(text)] as const])
      await assert.rejects(inspectBytes(t, file, bytes), corrupt(message));
  });
}

test('blank lines of NDJSON are counted', async (t) => {
  const text = `${'\n'.repeat(100_000)}{"a":1}\n\n{"a":x}\n`;
  await assert.rejects(
    inspectBytes(t, 'x.ndjson.gz', gzipSync(text)),
    corrupt(/line 100003: not a JSON object/),
  );
});

test('a column with a text of more than 4096 characters has no extremes', async (t) => {
  const rows = ['b', 'x'.repeat(4097), 'a'].map((a) => JSON.stringify({ a, n: 1 }));
  const { columns, first } = await inspectBytes(t, 'x.ndjson', rows.join('\n'));
  assert.deepEqual(
    columns.map(({ min, max }) => [min, max]),
    [
      [undefined, undefined],
      [1, 1],
    ],
  );
  assert.deepEqual(first[2], ['a', 1]);
});

test('a CSV header of more than 4096 columns is corrupt', async (t) => {
  const header = Array.from({ length: 4093 }, (_, i) => `c${i}`);
  const text = `exchange,symbol,timestamp,local_timestamp,${header}\n`;
  await assert.rejects(
    inspectBytes(t, 'x.csv.gz', gzipSync(text)),
    corrupt(/line 1, no header: it has more than 4096/),
  );
});

test('a quoted record with too few cells ends the parser', async (t) => {
  const text = `exchange,symbol,timestamp,local_timestamp\n${'""\n'.repeat(300_000)}`;
  await assert.rejects(inspectBytes(t, 'x.csv.gz', gzipSync(text)), corrupt(/line 2, column exchange/));
});

test('inspect ends with code 6 for hostile files', async (t) => {
  const dir = await tempDir(t);
  for (const [name, bytes] of [
    ['x.parquet', withFooter(Buffer.alloc(0), Buffer.alloc(100, 0x1c))],
    ['x.ndjson', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    [
      'x.arrow',
      Buffer.concat([
        Buffer.from('ARROW1\0\0'),
        Buffer.alloc(64, 0xff),
        Buffer.from([64, 0, 0, 0]),
        Buffer.from('ARROW1'),
      ]),
    ],
  ] as const) {
    const path = join(dir, name);
    await writeFile(path, bytes);
    const { exitCode, stderr } = await runHere(['inspect', path]);
    assert.equal(exitCode, 6, stderr);
    assert.ok(stderr.startsWith(`tickhaul: ${path}: `), stderr);
  }
});
