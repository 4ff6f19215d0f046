import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DownloadHistory } from '../../../src/store/manifest/download-history.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { createTestRecord } from './records.js';

/** A record whose file was verified some seconds after midnight. */
function record(bytes: number, seconds = 0, more: Partial<ManifestRecord> = {}): ManifestRecord {
  const time = new Date(Date.UTC(2024, 2, 1) + seconds * 1000).toISOString();
  return { ...createTestRecord('a.csv.gz', bytes * 2), bytes, time, md5Match: true, ...more };
}

const { file } = record(1);

test('the estimated size of a day is the median of the last nine of its series', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e9), { minLength: 1, maxLength: 30 }), (sizes) => {
      const history = new DownloadHistory();
      for (const bytes of sizes) history.add(record(bytes));
      const recent = sizes.slice(-9).sort((a, b) => a - b);
      const at = (index: number): number => recent[index] ?? Number.NaN;
      const middle = recent.length >> 1;
      const median = recent.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
      assert.deepEqual(history.daySize(file), { bytes: median, rows: median * 2 });
    }),
  );
});

test('each series has its own sizes, and an unknown series has none', () => {
  const history = new DownloadHistory();
  const other = { ...file, symbol: 'OTHER' };
  for (const bytes of [10, 11, 12]) {
    history.add(record(bytes));
    history.add(record(bytes * 100, 0, { file: other }));
  }
  assert.equal(history.daySize(file)?.bytes, 11);
  assert.equal(history.daySize(other)?.bytes, 1100);
  assert.equal(history.daySize({ ...file, dataType: 'quotes' }), undefined);
  assert.equal(history.daySize({ ...file, exchange: 'quotes' }), undefined);
});

test('the rate is that of the last run that was long enough', () => {
  const history = new DownloadHistory();
  assert.equal(history.bytesPerSecond(), undefined);
  // The first file marks the start: 5 files of 1000 bytes in 10 seconds.
  for (const second of [0, 2, 4, 6, 8, 10]) history.add(record(1000, second));
  assert.equal(history.bytesPerSecond(), 500);
  for (const second of [5000, 5001]) history.add(record(9999, second));
  assert.equal(history.bytesPerSecond(), 500, 'two files tell nothing');
  for (const second of [9000, 9001, 9002, 9003, 9004, 9005]) history.add(record(7000, second));
  assert.equal(history.bytesPerSecond(), 7000);
});

test('files found on disk and repeated records do not affect the rate', () => {
  const history = new DownloadHistory();
  for (const second of [0, 2, 4, 6, 8, 10]) {
    history.add(record(1000, second));
    history.add(record(1000, second));
    history.add(record(1e9, second + 0.1, { md5Match: null }));
  }
  assert.equal(history.bytesPerSecond(), 500);
});
