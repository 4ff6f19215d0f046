import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEstimate } from '../../../src/cli/output/format-events.js';
import type { PlanEvent } from '../../../src/events/run-events.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const PLAN: PlanEvent = {
  event: 'plan',
  files: 2,
  estimatedBytes: 3_000_000,
  estimatedRows: 1,
  estimatedSeconds: 20,
  estimateBasis: 'manifest',
  sizeRange: [3_000_000, 3_000_000],
};

test('an estimate states its range, or that the size is unknown', () => {
  assert.equal(formatEstimate(PLAN), 'about 3.0 MB, 1 row, 20s, from earlier days');
  assert.equal(
    formatEstimate({ ...PLAN, estimateBasis: 'record', sizeRange: [1e6, 19e6] }),
    'roughly 3.0 MB (1.0 MB to 19.0 MB), 1 row, 20s, from averages of the exchange',
  );
  const wide: PlanEvent = { ...PLAN, estimateBasis: 'typical', sizeRange: null };
  assert.equal(formatEstimate(wide), 'size unknown');
  assert.equal(formatEstimate({ ...wide, freeBytes: 1e9 }), 'size unknown; 1.0 GB free');
  const none = { estimatedBytes: null, estimateBasis: null } as const;
  assert.equal(formatEstimate({ ...wide, ...none }), 'size unknown');
  assert.equal(formatEstimate({ ...PLAN, estimatedBytes: 0, estimateBasis: null, sizeRange: [0, 0] }), '');
  assert.equal(formatEstimate({ event: 'plan', files: 2 }), '');
});

/** Factors of docs/reference/download.md#plan. */
const FACTORS: Readonly<Record<string, number>> = { record: 30, typical: 300 };

test('the size lies within the documented factor for all kinds of files of the embedded service', async (t) => {
  const service = await sandbox(t);
  const env = {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_API_KEY: service.apiKey,
    XDG_CACHE_HOME: await tempDir(t),
  };
  const types = ['trades', 'quotes', 'incremental_book_L2', 'derivative_ticker', 'liquidations'];
  for (const type of [...types, 'book_snapshot_5', 'book_snapshot_25']) {
    const files = [
      'deribit',
      '-t',
      type,
      '-s',
      'BTC-PERPETUAL',
      '--date',
      '2024-03-01',
      '-o',
      await tempDir(t),
    ];
    const [plan] = jsonLines(await runHere(['plan', ...files, '--json'], { env }));
    const factor = FACTORS[String(plan?.['estimateBasis'])] ?? assert.fail(type);
    const summary = jsonLines(await runHere(['download', ...files, '--json'], { env })).at(-1);
    const ratio = Number(summary?.['bytes']) / Number(plan?.['estimatedBytes']);
    assert.ok(1 / factor <= ratio && ratio <= factor, `${type}: ${ratio}`);
  }
});
