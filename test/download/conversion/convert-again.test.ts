import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { setOtherManifestVersion } from '../../convert/another-version.js';
import { csvOf } from '../../convert/day-files.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { NAME, type RunInput, run, setUp } from '../runs.js';
import {
  assertConverted,
  converting,
  dropping,
  PARQUET,
  recordOf,
  requested,
  setting,
} from './converting.js';

test('adopts and converts a file of another client in one pass', async (t) => {
  const { service, dir } = await setUp(t);
  const text = csvOf('trades', 40).replaceAll('deribit,BTC-PERPETUAL', 'binance-futures,BTCUSDT');
  const csv = gzipSync(text);
  await writeFile(join(dir, NAME), csv);
  const asked = await requested(service, async () => {
    assert.deepEqual((await run(service, dir, converting())).summary.counts, { converted: 1 });
    await assertConverted(dir, csv);
    assert.deepEqual((await run(service, dir, converting())).summary.counts, { skipped: 1 });
  });
  assert.equal(asked, 0);
  await writeFile(join(dir, NAME), csv.subarray(0, 30));
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { downloaded: 1 });
  await assertConverted(dir, await readFile(join(dir, NAME)));
});

test('--existing verify reads conversions too; overwrite writes all again', async (t) => {
  const { service, dir } = await setUp(t);
  const verify = { existing: 'verify' } as const;
  await run(service, dir, converting());
  const output = await readFile(join(dir, PARQUET));
  const damaged = Buffer.alloc(output.length);
  await writeFile(join(dir, PARQUET), damaged);
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { skipped: 1 }, 'trusts the size');
  const asked = await requested(service, async () => {
    assert.deepEqual((await run(service, dir, converting(setting(), verify))).summary.counts, {
      converted: 1,
    });
    assert.deepEqual((await run(service, dir, converting(setting(), verify))).summary.counts, {
      verified: 1,
    });
    await run(service, dir, dropping());
    assert.deepEqual((await run(service, dir, dropping(verify))).summary.counts, { verified: 1 });
  });
  assert.equal(asked, 0);
  assert.deepEqual(await readFile(join(dir, PARQUET)), output);
  await writeFile(join(dir, PARQUET), damaged);
  const { summary } = await run(service, dir, dropping(verify));
  assert.deepEqual(summary.counts, { downloaded: 1 }, 'nothing else is left to make it from');
  assert.deepEqual(await readFile(join(dir, PARQUET)), output);
  const again = await run(service, dir, dropping({ existing: 'overwrite' }));
  assert.deepEqual(again.summary.counts, { downloaded: 1 });
  assert.deepEqual(await namesIn(dir), [PARQUET]);
});

test('writes a missing or truncated conversion again, from the CSV or from the service', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  await rm(join(dir, PARQUET));
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { converted: 1 });
  await truncate(join(dir, PARQUET), 100);
  assert.deepEqual((await run(service, dir, dropping())).summary.counts, { converted: 1 });
  await truncate(join(dir, PARQUET), 100);
  assert.deepEqual((await run(service, dir, dropping())).summary.counts, { downloaded: 1 });
});

test('writes a conversion of another version again, from the CSV or from the service', async (t) => {
  const { service, dir } = await setUp(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const counts = async (input: RunInput): Promise<unknown> => (await run(service, dir, input)).summary.counts;
  await run(service, dir, converting());
  assert.equal((await recordOf(dir))?.conversions?.[0]?.version, undefined, 'the first version is left out');
  await setOtherManifestVersion(manifest);
  assert.equal((await recordOf(dir))?.conversions?.[0]?.version, '0.1');
  for (const existing of ['skip', 'verify'] as const) {
    assert.deepEqual(await counts(converting(setting(), { existing })), { converted: 1 });
    assert.deepEqual(await counts(converting()), { skipped: 1 });
    await setOtherManifestVersion(manifest);
  }
  assert.deepEqual(await counts(dropping()), { converted: 1 });
  await setOtherManifestVersion(manifest);
  assert.deepEqual(await counts(dropping()), { downloaded: 1 });
  assert.deepEqual(await counts(dropping()), { skipped: 1 });
});

test('recovers from a kill without a request', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  const csv = await readFile(join(dir, NAME));
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const [line = ''] = (await readFile(manifest, 'utf8')).split('\n');
  const { conversions, ...record } = JSON.parse(line);
  const asked = await requested(service, async () => {
    // Killed between publishing CSV and output, between output and record, and before deleting the CSV.
    for (const [left, text] of [
      [[NAME], ''],
      [[NAME, PARQUET], ''],
      [[NAME, `${PARQUET}.part`], `${JSON.stringify(record)}\n`],
      [[NAME, PARQUET], `${JSON.stringify({ ...record, conversions, dropped: true })}\n`],
      [[PARQUET], `${JSON.stringify({ ...record, conversions, dropped: true })}\n`],
    ] as const) {
      for (const input of [converting(), dropping()]) {
        if (left.length === 1 && left[0] === PARQUET && input.options?.convert?.keepCsv) continue;
        const killed = await tempDir(t);
        await mkdir(join(killed, '.tickhaul'));
        await writeFile(join(killed, '.tickhaul', 'manifest.jsonl'), text);
        for (const name of left) await copyFile(join(dir, name.replace('.part', '')), join(killed, name));
        const { summary } = await run(service, killed, input);
        assert.equal(summary.exitCode, 0);
        const kept = input.options?.convert?.keepCsv ? [NAME, PARQUET] : [PARQUET];
        assert.deepEqual(await namesIn(killed), kept, left.join());
        await assertConverted(killed, csv);
        assert.equal((await recordOf(killed))?.dropped, kept.length === 1 ? true : undefined);
        assert.deepEqual((await run(service, killed, input)).summary.counts, { skipped: 1 });
      }
    }
  });
  assert.equal(asked, 0);
});

for (const input of [converting(), dropping()]) {
  test(`two concurrent runs convert into one folder, and leave no part file${input.options?.convert?.keepCsv ? '' : ' and no CSV'}`, async (t) => {
    const { service, dir } = await setUp(t, { latencyMs: 5 });
    const selection = { date: undefined, from: '2024-02-25' };
    const both = await Promise.all([1, 2].map(() => run(service, dir, { ...input, selection })));
    for (const { summary } of both)
      assert.deepEqual([summary.exitCode, summary.counts.failed], [0, undefined]);
    const names = await namesIn(dir);
    assert.equal(names.filter((name) => name.endsWith('.parquet')).length, 14);
    assert.equal(names.length, input.options?.convert?.keepCsv ? 28 : 14, names.join());
    const asked = await requested(service, async () => {
      assert.deepEqual((await run(service, dir, { ...input, selection })).summary.counts, { skipped: 14 });
    });
    assert.equal(asked, 0);
  });
}

test('concurrent heavy conversions neither stall a transfer nor count as a stall', async (t) => {
  const { service, dir } = await setUp(t, { rows: 4000 });
  const selection = { types: ['book_snapshot_25'], date: undefined, from: '2024-03-01' };
  await run(service, await tempDir(t), { selection });
  const { summary, files } = await run(service, dir, {
    ...converting({ ...setting(), threads: 1 }, { concurrency: 20 }),
    selection,
    stallTimeoutMs: 1000,
  });
  assert.deepEqual(summary.counts, { downloaded: 9 });
  for (const { attempts } of files) assert.equal(attempts, 1);
});
