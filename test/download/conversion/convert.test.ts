import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { run as convertByHand, csvOf, parquetRows } from '../../convert/day-files.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { NAME, run, setUp } from '../runs.js';
import {
  assertConverted,
  converting,
  dropping,
  PARQUET,
  recordOf,
  requested,
  setting,
} from './converting.js';

for (const keepCsv of [true, false]) {
  test(`the next run neither requests nor converts, ${keepCsv ? 'with' : 'without'} the CSV`, async (t) => {
    const { service, dir } = await setUp(t);
    const input = keepCsv ? converting() : dropping();
    const selection = { date: undefined, from: '2024-03-01', to: '2024-03-05', layout: 'hive' };
    const { files } = await run(service, dir, { ...input, selection });
    for (const { path, output = '' } of files) {
      assert.equal(existsSync(join(dir, path)), keepCsv);
      assert.equal((await recordOf(dir, path))?.dropped, keepCsv ? undefined : true);
      assert.ok(output.startsWith('exchange=') && existsSync(join(dir, output)), output);
    }
    const asked = await requested(service, async () => {
      const again = await run(service, dir, { ...input, selection });
      assert.deepEqual([again.summary.exitCode, again.summary.counts], [0, { skipped: 4 }]);
      assert.deepEqual(again.files.map(({ output }) => output).sort(), files.map((f) => f.output).sort());
    });
    assert.equal(asked, 0);
  });
}

test('the output of every data type equals that of convert byte for byte, and convert skips it', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { exchange: 'deribit', types: ['all'], symbols: ['BTC-PERPETUAL', 'OPTIONS'] };
  const { summary } = await run(service, dir, { ...converting(), selection });
  const { downloaded = 0 } = summary.counts;
  assert.ok(summary.exitCode === 0 && downloaded >= 7, JSON.stringify(summary));
  const beside = await convertByHand([dir]);
  assert.deepEqual(beside.summary.counts, { skipped: downloaded });
  const out = await tempDir(t);
  await convertByHand([dir], { out });
  for (const name of await namesIn(out)) {
    assert.deepEqual(await readFile(join(out, name)), await readFile(join(dir, name)));
  }
  assert.equal((await namesIn(out)).length, downloaded);
});

test('converts an existing CSV without a request, and again for other options and formats', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const csv = await readFile(join(dir, NAME));
  const asked = await requested(service, async () => {
    const { files, summary } = await run(service, dir, converting());
    assert.equal(summary.exitCode, 0);
    const [event] = files;
    assert.deepEqual(
      [event?.status, event?.path, event?.source, event?.rows],
      ['converted', PARQUET, NAME, 300],
    );
    await assertConverted(dir, csv);
    const exact = setting('parquet', { numbers: 'string' });
    assert.deepEqual((await run(service, dir, converting(exact))).summary.counts, { converted: 1 });
    assert.deepEqual((await run(service, dir, converting(exact))).summary.counts, { skipped: 1 });
    const lines = setting('ndjson', { compression: 'gzip' });
    assert.deepEqual((await run(service, dir, converting(lines))).summary.counts, { converted: 1 });
    assert.deepEqual((await run(service, dir, converting(exact))).summary.counts, { skipped: 1 });
  });
  assert.equal(asked, 0);
  const text = gunzipSync(await readFile(join(dir, NAME.replace('csv.gz', 'ndjson.gz')))).toString();
  assert.equal(text.trimEnd().split('\n').length, 300);
  assert.deepEqual(
    (await recordOf(dir))?.conversions?.map(({ path }) => path.split('.').slice(1).join('.')),
    ['parquet', 'ndjson.gz'],
  );
});

test('drops an existing CSV only for a complete conversion', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  const csv = await readFile(join(dir, NAME));
  const asked = await requested(service, async () => {
    assert.deepEqual((await run(service, dir, dropping())).summary.counts, { skipped: 1 });
    assert.deepEqual(await namesIn(dir), [PARQUET]);
    await assertConverted(dir, csv);

    // The same size and other bytes, which a check of the size does not detect.
    await writeFile(join(dir, NAME), csv);
    const output = await readFile(join(dir, PARQUET));
    await writeFile(join(dir, PARQUET), Buffer.alloc(output.length));
    const { files, events } = await run(service, dir, dropping());
    assert.equal(files[0]?.status, 'converted');
    assert.ok(events.some((event) => event.event === 'warning' && event.message.includes(PARQUET)));
    assert.deepEqual(await readFile(join(dir, PARQUET)), output);
    assert.deepEqual(await namesIn(dir), [PARQUET]);
  });
  assert.equal(asked, 0);
});

test('downloads a dropped CSV again if it is to be kept; its conversion stays recorded', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, dropping());
  assert.deepEqual((await run(service, dir)).summary.counts, { downloaded: 1 });
  const record = await recordOf(dir);
  assert.deepEqual([record?.dropped, record?.conversions?.length], [undefined, 1]);
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { skipped: 1 });
});

for (const [name, csv] of Object.entries({
  'nothing in the gzip': '',
  'only a header': csvOf('trades', 0),
})) {
  test(`an empty day, ${name}: an output without rows, and nothing to do afterwards`, async (t) => {
    const replayDir = await tempDir(t);
    await writeFile(join(replayDir, NAME), gzipSync(csv));
    const { service, dir } = await setUp(t, { replayDir });
    const { files } = await run(service, dir, dropping());
    assert.deepEqual([files[0]?.status, files[0]?.rows], ['downloaded', 0]);
    assert.deepEqual(await parquetRows(await readFile(join(dir, PARQUET))), []);
    assert.deepEqual((await run(service, dir, dropping())).summary.counts, { skipped: 1 });
  });
}

test('converts an unknown data type with its columns as text, with one warning', async (t) => {
  const replayDir = await tempDir(t);
  const name = 'deribit_oi_2024-03-01_X.csv.gz';
  const header = 'exchange,symbol,timestamp,local_timestamp,oi';
  await writeFile(
    join(replayDir, name),
    gzipSync(`${header}\nderibit,X,1709251200000001,1709251200000002,1.50\n`),
  );
  const { service, dir } = await setUp(t, { replayDir });
  const selection = { exchange: 'deribit', types: ['oi'], symbols: ['X'] };
  const { summary, events } = await run(service, dir, { ...converting(), selection });
  assert.equal(summary.exitCode, 0);
  const rows = await parquetRows(await readFile(join(dir, name.replace('csv.gz', 'parquet'))));
  assert.equal(rows[0]?.['oi'], '1.50');
  assert.equal(events.filter((event) => event.event === 'warning').length, 1);
});
