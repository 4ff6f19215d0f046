import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, parseDay } from '../../../src/dataset/day.js';
import type { PlannedFile } from '../../../src/download/download-options.js';
import { createSizeEstimator } from '../../../src/download/estimate/size-estimator.js';
import { estimateMaxBytes as boundOf } from '../../../src/download/plan/estimate-max-bytes.js';
import { runDownloadJobs } from '../../../src/download/run-download-jobs.js';
import { createServiceClient } from '../../../src/service/http/service-client.js';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { DownloadHistory } from '../../../src/store/manifest/download-history.js';
import { DOWNLOAD_DEFAULTS } from '../../helpers/download-settings.js';
import { NAME, setUp } from '../runs.js';

const file = {
  exchange: 'binance-futures',
  dataType: 'trades',
  symbol: 'BTCUSDT',
  day: parseDay('2024-03-01'),
};
const WANTED: PlannedFile = {
  file,
  path: NAME,
  mayBeAbsent: false,
  outputs: [],
  status: 'download',
  action: 'fetch',
};
const PENDING = { ...WANTED, status: 'pending', action: 'nothing' } as const;

/** A file to download, and enough others that counting takes a while. */
function* files(): Generator<PlannedFile> {
  yield WANTED;
  for (let i = 0; i < 400_000; i++) yield PENDING;
}

for (const [what, mostBytes, first] of [
  ['does not wait for the count where the disk is sure to hold it', 1_000_000, 'start'],
  ['waits for the count where somebody may have to be asked', Number.POSITIVE_INFINITY, 'plan'],
] as const) {
  test(`the first request ${what}`, async (t) => {
    const { service, dir } = await setUp(t);
    const client = createServiceClient({ ...service, stallTimeoutMs: 5000, env: {} });
    const manifest = await openFolderManifest(dir, { warn: assert.fail });
    const order: string[] = [];
    const options = { ...DOWNLOAD_DEFAULTS, concurrency: 2, retries: 0, maxWaitMs: 0 };
    const [summary] = await runDownloadJobs(
      {
        destination: openFolderDestination(dir),
        manifest,
        partSuffix: undefined,
        options,
        emit: ({ event }) => {
          if (event === 'start' || event === 'plan') order.push(event);
        },
        signal: new AbortController().signal,
        askForSpace: () => assert.fail('the disk has room'),
      },
      [{ plan: { options, files, estimateMaxBytes: () => mostBytes }, client }],
    );
    await manifest.close();
    await client.close();
    assert.equal(order[0], first);
    assert.deepEqual(summary?.counts, { downloaded: 1, pending: 400_000 });
  });
}

test('the bound is the number of days times the size of each series, within the export', () => {
  const from = parseDay('2024-03-01');
  const sizeOf = createSizeEstimator(new DownloadHistory());
  const { bytes = 0 } = sizeOf({ file }) ?? {};
  const series = {
    dataType: 'trades',
    symbol: 'BTCUSDT',
    first: addDays(from, 2),
    until: addDays(from, 99),
    doubtful: undefined,
    named: true,
  };
  const range = { from, to: addDays(from, 10) };
  const bound = (dataType: string): number =>
    boundOf('x', [series, { ...series, dataType }], range, addDays(from, 5), sizeOf);
  assert.equal(bound('trades'), 6 * bytes);
  assert.equal(bound('odd'), Number.POSITIVE_INFINITY);
});
