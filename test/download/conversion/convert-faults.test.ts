import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../../src/base/errors.js';
import type { FaultKind } from '../../../src/sandbox/hosts/sandbox-faults.js';
import { csvOf } from '../../convert/day-files.js';
import { sandbox } from '../../helpers/sandbox.js';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { NAME, patience, run, setUp } from '../runs.js';
import {
  assertConverted,
  converting,
  dropping,
  PARQUET,
  recordOf,
  requested,
  setting,
} from './converting.js';

const FAULTS: readonly FaultKind[] = [
  'truncate',
  'bit-flip',
  'reset',
  'short',
  'stall',
  'trailing',
  'html',
  '500',
];
const SOME_FAULTS: ReadonlySet<FaultKind> = new Set(['500', 'bit-flip', 'reset']);
for (const redirect of [false, true]) {
  for (const kind of FAULTS) {
    // All faults of a transfer are tests of download/faults; here one that starts again, one of the bytes, one in the middle.
    const declare = !redirect && SOME_FAULTS.has(kind) ? usualTest : nightlyTest;
    declare(
      `a fault "${kind}" at the first attempt does not affect the conversion${redirect ? ', behind a redirect' : ''}`,
      async (t) => {
        const options = {
          faults: { [kind]: 1 },
          faultsPerFile: 1,
          redirect,
          retryAfterSeconds: 0,
          rows: 3000,
        };
        const { service, dir } = await setUp(t, options);
        const { summary, files } = await run(service, dir, { ...converting(), ...patience(kind) });
        assert.equal(summary.exitCode, 0);
        assert.ok((files[0]?.attempts ?? 0) > 1);
        assert.deepEqual(await namesIn(dir), [NAME, PARQUET]);
        await assertConverted(dir, await readFile(join(dir, NAME)));
      },
    );
  }
}

for (const kind of ['truncate', 'bit-flip', 'trailing', 'html'] as const) {
  test(`a permanent fault "${kind}" leaves no new output, and keeps an older one`, async (t) => {
    const { service, dir } = await setUp(t, { faults: { [kind]: 1 } });
    const { summary } = await run(service, dir, converting(setting(), { retries: 1 }));
    assert.equal(summary.exitCode, 6);
    assert.deepEqual(await namesIn(dir), []);
    await run(await sandbox(t), dir, converting());
    const before = await readFile(join(dir, PARQUET));
    await run(service, dir, converting(setting(), { retries: 1, existing: 'overwrite' }));
    assert.deepEqual(await readFile(join(dir, PARQUET)), before);
    assert.deepEqual(await namesIn(dir), [NAME, PARQUET]);
    assert.deepEqual((await run(service, dir, converting())).summary.counts, { skipped: 1 });
  });
}

test('converts a resumed file as a whole, from its beginning on disk', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, rows: 30_000, rate: 400_000 });
  const abort = new AbortController();
  const first = await run(service, dir, {
    ...converting(),
    signal: abort.signal,
    onEvent: (event) => {
      if (event.event === 'progress' && event.position > 50_000)
        abort.abort(new TickhaulError('interrupted', 'test'));
    },
  });
  assert.deepEqual([first.summary.exitCode, first.summary.unfinished], [130, 1]);
  assert.deepEqual(await namesIn(dir), [`${NAME}.part`], 'no half output');
  const { summary } = await run(service, dir, converting());
  assert.equal(summary.exitCode, 0);
  assert.ok(service.requests.some(({ host, status }) => host === 'objects' && status === 206));
  await assertConverted(dir, await readFile(join(dir, NAME)));
});

for (const keepCsv of [true, false]) {
  test(`an invalid row only fails the conversion: the CSV, ${keepCsv ? 'kept' : 'to be dropped'}, stays and is not requested again`, async (t) => {
    const replayDir = await tempDir(t);
    const bad = 'deribit_trades_2024-03-01_BAD.csv.gz';
    const good = bad.replace('BAD', 'GOOD');
    const textOf = (symbol: string): string => csvOf('trades', 3).replaceAll('BTC-PERPETUAL', symbol);
    const csv = gzipSync(`${textOf('BAD')}deribit,X,1583020800000001,1583020800000002,1,buy,12x,1\n`);
    await writeFile(join(replayDir, bad), csv);
    await writeFile(join(replayDir, good), gzipSync(textOf('GOOD')));
    const { service, dir } = await setUp(t, { replayDir });
    const input = {
      ...(keepCsv ? converting() : dropping()),
      selection: { exchange: 'deribit', symbols: ['all'] },
    };
    for (const requests of [2, 0]) {
      const asked = await requested(service, async () => {
        const { summary, files } = await run(service, dir, input);
        assert.equal(summary.exitCode, 6);
        const failed = files.find(({ status }) => status === 'failed');
        assert.equal(failed?.path, bad);
        assert.match(failed?.error?.message ?? '', /BAD\.csv\.gz: line 5, column price: "12x"/);
        assert.equal(summary.counts[requests > 0 ? 'downloaded' : 'skipped'], 1);
      });
      assert.equal(asked, requests);
      assert.deepEqual(await readFile(join(dir, bad)), csv);
      const whole = good.replace('csv.gz', 'parquet');
      assert.deepEqual(await namesIn(dir), keepCsv ? [bad, good, whole] : [bad, whole]);
    }
    const record = await recordOf(dir, bad);
    assert.deepEqual([record?.rows, record?.conversions, record?.dropped], [4, undefined, undefined]);
  });
}
