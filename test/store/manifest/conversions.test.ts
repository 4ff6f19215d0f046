import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatManifestLine, parseManifestLine } from '../../../src/store/manifest/manifest-line.js';
import type { ConversionEntry, ManifestRecord } from '../../../src/store/manifest-record.js';
import { createTestRecord } from './records.js';

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
