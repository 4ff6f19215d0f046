import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { convertOptions, type Format } from '../../src/convert/options.js';
import { DATA_TYPES } from '../../src/dataset/data-types.js';
import type { ConvertSetting } from '../../src/download/types.js';
import { TickhaulError } from '../../src/errors.js';
import type { FaultKind } from '../../src/sandbox/faults.js';
import type { Sandbox } from '../../src/sandbox/options.js';
import { openManifest } from '../../src/store/manifest.js';
import type { ManifestRecord } from '../../src/store/types.js';
import { cellsOf, run as convertByHand, csvOf, parquetRows } from '../convert/day-files.js';
import { sandbox } from '../helpers/sandbox.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { NAME, patience, type RunInput, run, setUp } from './runs.js';

const PARQUET = NAME.replace('csv.gz', 'parquet');

type Chosen = Parameters<typeof convertOptions>[1];

function setting(format: Format = 'parquet', chosen: Chosen = {}): ConvertSetting {
  return { options: convertOptions(format, chosen), keepCsv: true, threads: 2 };
}

const converting = (convert: ConvertSetting = setting(), options: RunInput['options'] = {}): RunInput => ({
  options: { convert, ...options },
});
const dropping = (options: RunInput['options'] = {}): RunInput =>
  converting({ ...setting(), keepCsv: false }, options);

/** What was asked of the dataset host by some work. */
async function requested(service: Sandbox, work: () => Promise<unknown>): Promise<number> {
  const count = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
  const before = count();
  await work();
  return count() - before;
}

async function recordOf(dir: string, path = NAME): Promise<ManifestRecord | undefined> {
  const manifest = await openManifest(dir, { warn: assert.fail });
  await manifest.close();
  return manifest.get(path);
}

/** The Parquet file says what the CSV says, cell by cell, and the manifest knows it by its bytes. */
async function assertConverted(dir: string, csv: Buffer, path = NAME): Promise<void> {
  const record = await recordOf(dir, path);
  const [entry] = record?.conversions ?? [];
  assert.equal(record?.conversions?.length, 1);
  const bytes = await readFile(join(dir, entry?.path ?? ''));
  assert.equal(entry?.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(entry?.bytes, bytes.length);
  const expected = cellsOf(record?.file.dataType ?? '', gunzipSync(csv).toString());
  assert.equal(entry?.rows, expected.length);
  assert.deepEqual(await parquetRows(bytes), expected);
}

test('every data type arrives converted, cell by cell, from one pass', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { exchange: 'deribit', types: ['all'], symbols: ['BTC-PERPETUAL', 'OPTIONS'] };
  const { summary, files } = await run(service, dir, { ...converting(), selection });
  assert.equal(summary.exitCode, 0);
  for (const { status, file, path, output = '', rows } of files) {
    if (status === 'unavailable') continue;
    assert.deepEqual([status, rows, existsSync(join(dir, output))], ['downloaded', 300, true], path);
    assert.ok(DATA_TYPES.some((dataType) => dataType === file?.dataType));
    await assertConverted(dir, await readFile(join(dir, path)), path);
  }
  assert.ok(files.filter(({ status }) => status === 'downloaded').length >= 7);
  assert.deepEqual(
    (await namesIn(dir)).filter((name) => name.endsWith('.part')),
    [],
  );
});

for (const keepCsv of [true, false]) {
  test(`the next run neither asks nor converts, ${keepCsv ? 'with' : 'without'} the CSV`, async (t) => {
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

test('the output is, to the byte, what convert makes of the CSV; and convert finds it made', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { types: ['trades', 'book_snapshot_25'] };
  await run(service, dir, { ...converting(), selection });
  const beside = await convertByHand([dir]);
  assert.deepEqual(beside.summary.counts, { skipped: 2 });
  const out = await tempDir(t);
  await convertByHand([dir], { out });
  for (const name of await namesIn(out)) {
    assert.deepEqual(await readFile(join(out, name)), await readFile(join(dir, name)));
  }
  assert.equal((await namesIn(out)).length, 2);
});

test('a CSV that is there is converted without a request, again for other options and formats', async (t) => {
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

test('a CSV that is there and converted is dropped, but only for a conversion that is whole', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  const csv = await readFile(join(dir, NAME));
  const asked = await requested(service, async () => {
    assert.deepEqual((await run(service, dir, dropping())).summary.counts, { skipped: 1 });
    assert.deepEqual(await namesIn(dir), [PARQUET]);
    await assertConverted(dir, csv);

    // The same size and other bytes, which a look at the size does not find.
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

test('a CSV that was dropped comes again where it is wanted; its conversion stays known', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, dropping());
  assert.deepEqual((await run(service, dir)).summary.counts, { downloaded: 1 });
  const record = await recordOf(dir);
  assert.deepEqual([record?.dropped, record?.conversions?.length], [undefined, 1]);
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { skipped: 1 });
});

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
for (const redirect of [false, true]) {
  for (const kind of FAULTS) {
    test(`a fault "${kind}" on the first try leaves no trace in the conversion${redirect ? ', behind a redirect' : ''}`, async (t) => {
      const options = { faults: { [kind]: 1 }, faultsPerFile: 1, redirect, retryAfterSeconds: 0, rows: 3000 };
      const { service, dir } = await setUp(t, options);
      const { summary, files } = await run(service, dir, { ...converting(), ...patience(kind) });
      assert.equal(summary.exitCode, 0);
      assert.ok((files[0]?.attempts ?? 0) > 1);
      assert.deepEqual(await namesIn(dir), [NAME, PARQUET]);
      await assertConverted(dir, await readFile(join(dir, NAME)));
    });
  }
}

for (const kind of ['truncate', 'bit-flip', 'trailing', 'html'] as const) {
  test(`a fault "${kind}" that lasts leaves no output, and an older one as it was`, async (t) => {
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

test('a resumed file is converted as a whole, from its beginning on disk', async (t) => {
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
  test(`a row that is wrong fails the conversion only: the CSV, ${keepCsv ? 'kept' : 'to be dropped'}, stays and is not asked for again`, async (t) => {
    const replayDir = await tempDir(t);
    const bad = 'deribit_trades_2024-03-01_BAD.csv.gz';
    const good = bad.replace('BAD', 'GOOD');
    const csv = gzipSync(`${csvOf('trades', 3)}deribit,X,1583020800000001,1583020800000002,1,buy,12x,1\n`);
    await writeFile(join(replayDir, bad), csv);
    await writeFile(join(replayDir, good), gzipSync(csvOf('trades', 3)));
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

test('a folder under the output’s name fails that file; its CSV stays', async (t) => {
  const { service, dir } = await setUp(t);
  await mkdir(join(dir, PARQUET));
  const selection = { date: undefined, from: '2024-03-01', to: '2024-03-04' };
  const { summary } = await run(service, dir, { ...dropping(), selection });
  assert.deepEqual([summary.exitCode, summary.counts], [8, { downloaded: 2, failed: 1 }]);
  assert.ok(existsSync(join(dir, NAME)));
  assert.deepEqual(
    (await namesIn(dir)).filter((name) => name.endsWith('.part')),
    [],
  );
  await rm(join(dir, PARQUET), { recursive: true });
  assert.deepEqual((await run(service, dir, { ...dropping(), selection })).summary.counts, {
    converted: 1,
    skipped: 2,
  });
});

test('a file that another client left is adopted and converted in one reading', async (t) => {
  const { service, dir } = await setUp(t);
  const csv = gzipSync(csvOf('trades', 40));
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

test('--existing verify reads conversions too; overwrite makes all anew', async (t) => {
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

test('a conversion that is gone, or cut off, is made again: from the CSV, else from the service', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  await rm(join(dir, PARQUET));
  assert.deepEqual((await run(service, dir, converting())).summary.counts, { converted: 1 });
  await truncate(join(dir, PARQUET), 100);
  assert.deepEqual((await run(service, dir, dropping())).summary.counts, { converted: 1 });
  await truncate(join(dir, PARQUET), 100);
  assert.deepEqual((await run(service, dir, dropping())).summary.counts, { downloaded: 1 });
});

for (const [name, csv] of Object.entries({
  'nothing in the gzip': '',
  'only a header': csvOf('trades', 0),
})) {
  test(`an empty day, ${name}: an output of no rows, and nothing to do after`, async (t) => {
    const replayDir = await tempDir(t);
    await writeFile(join(replayDir, NAME), gzipSync(csv));
    const { service, dir } = await setUp(t, { replayDir });
    const { files } = await run(service, dir, dropping());
    assert.deepEqual([files[0]?.status, files[0]?.rows], ['downloaded', 0]);
    assert.deepEqual(await parquetRows(await readFile(join(dir, PARQUET))), []);
    assert.deepEqual((await run(service, dir, dropping())).summary.counts, { skipped: 1 });
  });
}

test('a data type nobody has heard of is converted, its columns as text, with one warning', async (t) => {
  const replayDir = await tempDir(t);
  const name = 'deribit_oi_2024-03-01_X.csv.gz';
  const header = 'exchange,symbol,timestamp,local_timestamp,oi';
  await writeFile(
    join(replayDir, name),
    gzipSync(`${header}\nderibit,X,1583020800000001,1583020800000002,1.50\n`),
  );
  const { service, dir } = await setUp(t, { replayDir });
  const selection = { exchange: 'deribit', types: ['oi'], symbols: ['X'] };
  const { summary, events } = await run(service, dir, { ...converting(), selection });
  assert.equal(summary.exitCode, 0);
  const rows = await parquetRows(await readFile(join(dir, name.replace('csv.gz', 'parquet'))));
  assert.equal(rows[0]?.['oi'], '1.50');
  assert.equal(events.filter((event) => event.event === 'warning').length, 1);
});

test('what a kill may leave is healed without a request', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, converting());
  const csv = await readFile(join(dir, NAME));
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const [line = ''] = (await readFile(manifest, 'utf8')).split('\n');
  const { conversions, ...record } = JSON.parse(line);
  const asked = await requested(service, async () => {
    // Between the CSV's name and the output's; between the output's and the record; before the CSV was deleted.
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
  test(`two runs at once convert into one folder, and leave no part${input.options?.convert?.keepCsv ? '' : ' and no CSV'}`, async (t) => {
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

test('heavy conversions at once neither stall a transfer nor pass for one that stalled', async (t) => {
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
