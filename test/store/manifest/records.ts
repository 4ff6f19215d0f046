import type { Day } from '../../../src/dataset/day.js';
import type { ManifestRecord } from '../../../src/store/types.js';

/** A record that differs from others by its path and its row count. */
export function recordOf(path: string, rows = 1): ManifestRecord {
  return {
    file: { exchange: 'binance', dataType: 'trades', symbol: 'BTCUSDT', day: 19_000 as Day },
    path,
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
