import type { Day } from '../../../src/day-files/day.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';

/** Path of the day file with a short name. */
export const toTestPath = (name: string): string => (name.endsWith('.csv.gz') ? name : `${name}.csv.gz`);
/** The short name of a path; the inverse of `toTestPath`. */
export const toTestName = (path: string): string => path.replace(/\.csv\.gz$/, '');

/** A record whose path is created from a short name. */
export function createTestRecord(name: string, rows = 1): ManifestRecord {
  return {
    file: { exchange: 'binance', dataType: 'trades', symbol: 'BTCUSDT', day: 19_000 as Day },
    path: toTestPath(name),
    bytes: 1234,
    md5: '0'.repeat(32),
    sha256: 'f'.repeat(64),
    md5Match: true,
    rows,
    etag: '"abc"',
    time: '2024-03-01T00:00:00.000Z',
    version: '1.0.0',
  };
}
