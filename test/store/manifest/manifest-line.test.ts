import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../../src/day-files/day.js';
import {
  formatManifestLine,
  LineStore,
  parseManifestLine,
} from '../../../src/store/manifest/manifest-line.js';
import type { ConversionEntry, ManifestRecord } from '../../../src/store/manifest-record.js';
import { createTestRecord } from './records.js';

test('parsing a formatted record returns the same record, for any symbol', () => {
  const record = fc
    .tuple(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      fc.option(fc.string()),
      fc.nat(40_000),
    )
    .map(([symbol, path, rows, etag, day]) => {
      const { etag: _, ...plain } = createTestRecord(path, rows);
      return {
        ...plain,
        file: { ...plain.file, symbol, day: day as Day },
        md5Match: etag === null ? null : false,
        ...(etag === null ? {} : { etag }),
      };
    });
  fc.assert(
    fc.property(record, (value) => {
      const line = formatManifestLine(value);
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.deepEqual(parseManifestLine(line), value);
    }),
  );
});

test('a line keeps the flat field names that other programs read', () => {
  assert.deepEqual(Object.keys(JSON.parse(formatManifestLine(createTestRecord('a')))), [
    ...['exchange', 'dataType', 'symbol', 'date', 'path', 'bytes', 'md5', 'sha256', 'md5Match', 'rows'],
    ...['etag', 'time', 'version'],
  ]);
});

for (const key of ['exchange', 'date', 'path', 'bytes', 'md5', 'md5Match', 'rows', 'time']) {
  test(`refuses a line with an invalid ${key}`, () => {
    const fields = JSON.parse(formatManifestLine(createTestRecord('a'))) as Record<string, unknown>;
    assert.notEqual(parseManifestLine(JSON.stringify(fields)), undefined);
    assert.equal(parseManifestLine(JSON.stringify({ ...fields, [key]: {} })), undefined);
  });
}

const ENTRY: ConversionEntry = {
  path: 'exchange=binance/day.parquet',
  bytes: 99,
  sha256: 'e'.repeat(64),
  rows: 7,
  options: { format: 'parquet', compression: 'zstd', rowGroup: 1024, times: 'timestamp', numbers: 'double' },
};

test('parsing a formatted record returns its conversions and the dropped CSV', () => {
  const record: ManifestRecord = {
    ...createTestRecord('exchange=binance/day.csv.gz'),
    conversions: [
      ENTRY,
      { ...ENTRY, path: 'exchange=binance/day.ndjson', options: { format: 'ndjson' } },
      { ...ENTRY, path: 'exchange=binance/bars.parquet', computed: 'trade_bar_1m' },
    ],
    dropped: true,
  };
  assert.deepEqual(parseManifestLine(formatManifestLine(record)), record);
  const plain = createTestRecord('day.csv.gz');
  assert.deepEqual(parseManifestLine(formatManifestLine(plain)), plain);
});

for (const [what, conversions] of [
  ['a path that leads out of the folder', [{ ...ENTRY, path: '../day.parquet' }]],
  ['a path with control characters', [{ ...ENTRY, path: 'day\n.parquet' }]],
  ['no path', [{ ...ENTRY, path: undefined }]],
  ['a size that is no count', [{ ...ENTRY, bytes: -1 }]],
  ['options that are no plain values', [{ ...ENTRY, options: { format: ['parquet'] } }]],
  ['no options', [{ ...ENTRY, options: undefined }]],
  ['a computed type that is no text', [{ ...ENTRY, computed: 1 }]],
  ['no list', ENTRY],
  ['a list of nothing', [null]],
] as const) {
  test(`refuses a record whose conversions have ${what}`, () => {
    const line = JSON.stringify({
      ...JSON.parse(formatManifestLine(createTestRecord('day.csv.gz'))),
      conversions,
    });
    assert.equal(parseManifestLine(line), undefined);
  });
}

test('contains the same lines as a Map of strings', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd/é');
  const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(70_000)));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, line), { maxLength: 30 }), (settings) => {
      const store = new LineStore();
      const map = new Map<string, string>();
      for (const [path, text] of settings) {
        store.set(path, text);
        map.set(path, Buffer.from(text).toString());
        assert.equal(store.get(path), map.get(path));
      }
      assert.equal(store.size, map.size);
      assert.deepEqual([...store.values()], [...map.values()]);
      assert.equal(store.has('none') || store.get('none') !== undefined, false);
    }),
  );
});

test('returns lines unchanged if they fill several blocks or exceed a block', () => {
  const store = new LineStore();
  const long = 'y'.repeat(20_000_000);
  const lines = Array.from({ length: 40 }, (_, at) => (at === 20 ? long : `${at}`.repeat(500_000)));
  for (const [at, line] of lines.entries()) store.set(`${at}`, line);
  for (const [at, line] of lines.entries()) assert.equal(store.get(`${at}`) === line, true, `line ${at}`);
});
