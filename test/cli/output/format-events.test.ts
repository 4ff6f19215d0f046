import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEstimate } from '../../../src/cli/output/format-events.js';
import type { EstimateBasis, PlanEvent } from '../../../src/events/run-events.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const plan = (estimateBasis: EstimateBasis): PlanEvent => ({
  event: 'plan',
  files: 2,
  estimatedBytes: 3_000_000,
  estimatedRows: 1,
  estimatedSeconds: 20,
  estimateBasis,
});

test('an estimate that is not from earlier days states a range', () => {
  assert.equal(formatEstimate(plan('manifest')), 'about 3.0 MB, 1 row, 20s, from earlier days');
  assert.equal(
    formatEstimate(plan('record')),
    'roughly 3.0 MB (100 kB to 90.0 MB), 1 row, 20s, from averages of the exchange',
  );
  assert.equal(
    formatEstimate(plan('typical')),
    'perhaps 3.0 MB (10.0 kB to 900 MB), 1 row, 20s, from typical sizes',
  );
});

const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
const bytesOf = (text = ''): number => {
  const [number, unit = ''] = text.split(' ');
  return Number(number) * (UNITS[unit] ?? Number.NaN);
};

test('the range holds for all kinds of files of the embedded service', async (t) => {
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
    const { stderr } = await runHere(['plan', ...files], { env });
    const [, from, to] = /\((\S+ \S+) to (\S+ \S+)\)/.exec(stderr) ?? [];
    const summary = jsonLines(await runHere(['download', ...files, '--json'], { env })).at(-1);
    const bytes = summary?.['bytes'];
    assert.ok(bytesOf(from) <= Number(bytes) && Number(bytes) <= bytesOf(to), `${type}: ${stderr} ${bytes}`);
  }
});
