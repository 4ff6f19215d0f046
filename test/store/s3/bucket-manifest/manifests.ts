import { type Day, parseDay } from '../../../../src/day-files/day.js';
import type { Manifest, ManifestScopes } from '../../../../src/store/manifest/manifest.js';
import type { ManifestRecord } from '../../../../src/store/manifest-record.js';
import { compactMonth } from '../../../../src/store/s3/bucket-manifest/compact-months.js';
import { openStoreManifest } from '../../../../src/store/s3/bucket-manifest/store-manifest.js';
import type { ObjectStore } from '../../../../src/store/s3/object-store.js';
import type { MemoryBucket } from '../../../helpers/memory-store.js';
import { createTestRecord, toTestName } from '../../manifest/records.js';

export const ROOT = 'data/.tickhaul/manifest/';
export const MONTH = 'binance/trades/2022-01/';
export const HOUR = 3_600_000;

export const open = (
  store: ObjectStore,
  scope?: ManifestScopes,
  warnings: string[] = [],
): Promise<Manifest> =>
  openStoreManifest(store, 'data/', { warn: (message) => warnings.push(message) }, scope);
export const paths = (manifest: Manifest): string[] =>
  [...manifest.records()].map(({ path }) => toTestName(path)).sort();

/** A record of a unique day file. */
export function fileOn(day: string, dataType = 'trades', exchange = 'binance'): ManifestRecord {
  const path = `${exchange}/${dataType}/${day}`;
  return {
    ...createTestRecord(path),
    file: { exchange, dataType, symbol: 'BTCUSDT', day: parseDay(day) as Day },
  };
}

export async function write(manifest: Manifest, ...records: readonly ManifestRecord[]): Promise<void> {
  const appended = Promise.all(records.map((record) => manifest.append(record)));
  await manifest.flush();
  await appended;
}

export function compact(bucket: MemoryBucket, maxLooseSegments = 1): Promise<void> {
  const place = { store: bucket.client(), root: ROOT };
  return compactMonth(place, MONTH, { run: 'c', now: bucket.now, storeNow: bucket.now, maxLooseSegments });
}
