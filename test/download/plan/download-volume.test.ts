import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../../src/day-files/day.js';
import type { PlannedFile } from '../../../src/download/download-options.js';
import {
  addToVolume,
  createSizeEstimator,
  createVolume,
  type EstimateSize,
  sumVolumes,
  toEstimate,
  toSizeRange,
} from '../../../src/download/plan/size-estimator.js';
import type { ExchangeRecord } from '../../../src/service/records/fetch-records.js';
import { DownloadHistory } from '../../../src/store/manifest/download-history.js';

function planned(dataType: string, more: Partial<PlannedFile> = {}, symbol = 'BTCUSDT'): PlannedFile {
  const file = { exchange: 'x', dataType, symbol, day: 19_783 as Day };
  return { file, path: 'a', outputs: [], status: 'download', action: 'fetch', mayBeAbsent: false, ...more };
}

function estimate(files: readonly PlannedFile[], sizeOf: EstimateSize | undefined) {
  const volume = createVolume();
  for (const file of files) addToVolume(volume, file, sizeOf);
  return toEstimate(volume, undefined);
}

const typical = createSizeEstimator(new DownloadHistory());

test('counts only files to download, with sizes of a lock file', () => {
  const skipped = planned('trades', { status: 'skip', action: 'check' });
  const locked = planned('trades', { expected: { bytes: 1400, sha256: '' } });
  assert.deepEqual(estimate([skipped, locked], typical), {
    estimatedBytes: 1400,
    estimatedRows: 100,
    estimatedSeconds: null,
    estimateBasis: 'manifest',
  });
});

test('files without an estimate count as average; without any estimate the total is null', () => {
  const odd = planned('odd');
  const nothing = {
    estimatedBytes: null,
    estimatedRows: null,
    estimatedSeconds: null,
    estimateBasis: null,
  };
  assert.deepEqual(estimate([odd, odd], typical), nothing);
  assert.deepEqual(estimate([planned('trades')], undefined), nothing);
  const one = estimate([planned('trades')], typical).estimatedBytes ?? 0;
  assert.equal(estimate([planned('trades'), odd], typical).estimatedBytes, one * 2);
});

test('the basis is the least precise one with a relevant share', () => {
  const sure = planned('trades', { expected: { bytes: 1e9, sha256: '' } });
  assert.equal(estimate([sure, planned('liquidations')], typical).estimateBasis, 'manifest');
  assert.equal(
    estimate([sure, planned('incremental_book_L2'), planned('quotes')], typical).estimateBasis,
    'typical',
  );
});

test('a single option is estimated small', () => {
  const [option, perpetual] = ['BTC-27DEC30-200000-C', 'BTC-PERPETUAL'].map(
    (symbol) => typical(planned('trades', {}, symbol))?.bytes ?? Number.NaN,
  );
  assert.ok((option ?? Number.NaN) < (perpetual ?? Number.NaN) / 10);
});

test('sums the volumes of several plans', () => {
  const one = createVolume();
  addToVolume(one, planned('trades'), typical);
  const sum = sumVolumes([one, one, createVolume()]);
  assert.equal(sum.files, 2);
  assert.equal(toEstimate(sum, 1000).estimatedSeconds, Math.round((2 * one.bytes.typical) / 1000));
});

const symbols = ['A', 'B', 'SPOT'].map((id) => ({
  id,
  type: 'spot',
  dataTypes: ['trades', 'quotes'],
  availableSince: '2024-03-01T00:00:00.000Z',
  availableTo: '2024-03-11T00:00:00.000Z',
}));

function recordWith(stats: unknown): ExchangeRecord {
  return { id: 'x', datasets: { exportedUntil: '2024-03-11T00:00:00.000Z', symbols, stats } };
}

test('spreads totals of a record over the exported days of its symbols; a grouped file has all of them', () => {
  const sizeOf = createSizeEstimator(new DownloadHistory(), recordWith({ trades: 20_000, bookChanges: 0 }));
  assert.deepEqual(
    [sizeOf(planned('trades', {}, 'A'))?.rows, sizeOf(planned('trades', {}, 'SPOT'))?.rows],
    [1000, 2000],
  );
  assert.equal(sizeOf(planned('trades', {}, 'A'))?.basis, 'record');
  assert.equal(sizeOf(planned('quotes', {}, 'A'))?.basis, 'typical');
});

test('ignores missing and invalid statistics', () => {
  for (const stats of [undefined, null, 7, {}, { trades: 0 }, { trades: '5' }, { trades: Number.NaN }]) {
    const sizeOf = createSizeEstimator(new DownloadHistory(), recordWith(stats));
    assert.equal(sizeOf(planned('trades', {}, 'A'))?.basis, 'typical', JSON.stringify(stats));
  }
});

test('the range of a mixed volume is null if it spans more than a factor of twenty', () => {
  const rangeOf = (manifest: number, record: number, typical: number, unknown = 0) =>
    toSizeRange({ files: 10 + unknown, unknown, rows: 0, bytes: { manifest, record, typical } });
  assert.deepEqual(rangeOf(1e6, 0, 0), [1e6, 1e6]);
  assert.deepEqual(rangeOf(7e5, 3e5, 0), [71e4, 97e5]);
  assert.equal(rangeOf(5e5, 5e5, 0), null);
  assert.equal(rangeOf(9e5, 0, 1e5), null);
  assert.equal(rangeOf(1e6, 0, 0, 1), null, 'a file without an estimate');
  assert.equal(toSizeRange({ ...createVolume(), files: 5, unknown: 5 }), null);
  assert.deepEqual(toSizeRange(createVolume()), [0, 0]);
});
