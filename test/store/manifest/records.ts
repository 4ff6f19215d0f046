import type { Day } from '../../../src/dataset/day.js';
import type { ManifestRecord } from '../../../src/store/types.js';

/** The path of the day file that tests call so. */
export const pathOf = (name: string): string => (name.endsWith('.csv.gz') ? name : `${name}.csv.gz`);
/** The name that `pathOf` made a path of. */
export const nameOf = (path: string): string => path.replace(/\.csv\.gz$/, '');

/** A record that differs from others by its path, which is made of a name, and its row count. */
export function recordOf(name: string, rows = 1): ManifestRecord {
  return {
    file: { exchange: 'binance', dataType: 'trades', symbol: 'BTCUSDT', day: 19_000 as Day },
    path: pathOf(name),
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
