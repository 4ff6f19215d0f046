import assert from 'node:assert/strict';
import { existsSync, utimesSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { tempDir } from '../helpers/temp.js';
import { csvOf, run, writeDayFile } from './day-files.js';

const usage = (message: RegExp) => ({ name: 'TickhaulError', code: 'usage', message });

const withRow = (cells: string): string => `${csvOf('trades', 2)}${cells}\n`;
const complete = gzipSync(csvOf('trades', 2000));
const BAD: Readonly<Record<string, readonly [string | Buffer, RegExp]>> = {
  'a cut gzip': [complete.subarray(0, complete.length - 200), /the gzip stream ends early after \d+ bytes/],
  'a flipped byte in the checksum': [flip(complete, complete.length - 6), /wrong gzip checksum/],
  'bytes after the gzip': [Buffer.concat([complete, Buffer.from('tail')]), /after the last gzip member/],
  'no gzip at all': [Buffer.from('<html>no</html>'), /not a gzip file: begins with "<html>no/],
  'no byte': [Buffer.alloc(0), /empty body/],
  'a letter in a number': [
    withRow('deribit,X,1583020800000001,1583020800000002,1,buy,12x,1'),
    /line 4, column price: "12x"/,
  ],
  'a missing column': [
    'exchange,symbol,timestamp,local_timestamp,id,side,price\n',
    /column amount: missing in the header/,
  ],
  'the header of another type': [
    'exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount\n',
    /missing in the header of trades, which is that of quotes \(leave out --type, if given\); download the file again/,
  ],
  'no header': ['deribit,X,1583020800000001,1583020800000002,1,buy,1,1\n', /line 1, no header/],
};
for (const [name, [csv, message]] of Object.entries(BAD)) {
  test(`${name} fails only its own file, with a message, and leaves no output`, async (t) => {
    const dir = await tempDir(t);
    const bad = await writeDayFile(dir, 'trades', csv, 'BAD');
    const good = await writeDayFile(dir, 'trades', csvOf('trades', 2), 'GOOD');
    const { summary, files } = await run([dir], { jobs: 1 });
    assert.deepEqual([summary.exitCode, summary.counts], [6, { failed: 1, converted: 1 }]);
    const failed = files.find(({ status }) => status === 'failed');
    assert.equal(failed?.error?.code, 'corrupt');
    assert.match(failed?.error?.message ?? '', message);
    assert.ok(failed?.error?.message.startsWith(bad), failed?.error?.message);
    const left = [bad, good, good.replace('csv.gz', 'parquet')].map((path) => path.slice(dir.length + 1));
    assert.deepEqual((await readdir(dir)).sort(), left.sort());
  });
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

test('skips an output only if source and options are the same', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 50));
  const convertAgain = async (options: Parameters<typeof run>[1] = {}): Promise<unknown> =>
    (await run([dir], options)).files.map(({ status, rows, bytes }) => [status, rows, (bytes ?? 0) > 0]);
  for (const format of ['parquet', 'ndjson'] as const) {
    assert.deepEqual(await convertAgain({ format }), [['converted', 50, true]]);
    await utimes(source, 1, 1);
    assert.deepEqual(await convertAgain({ format }), [['skipped', 50, true]], 'time stamps do not count');
    assert.deepEqual(await convertAgain({ format, existing: 'overwrite' }), [['converted', 50, true]]);
    assert.deepEqual(await convertAgain({ format, chosen: { numbers: 'string' } }), [
      ['converted', 50, true],
    ]);
    assert.deepEqual(await convertAgain({ format }), [['converted', 50, true]], 'other options');
  }
  // The same size, with other bytes in the gzip header.
  const bytes = await readFile(source);
  bytes[4] = 99;
  await writeFile(source, bytes);
  assert.deepEqual(await convertAgain(), [['converted', 50, true]], 'another md5');
  await writeFile(source.replace('csv.gz', 'parquet'), 'PAR1 somebody else wrote this PAR1');
  assert.deepEqual(await convertAgain(), [['converted', 50, true]], 'a file that is no Parquet');
  await rm(source.replace('csv.gz', 'ndjson'));
  assert.deepEqual(await convertAgain({ format: 'ndjson' }), [['converted', 50, true]], 'the output is gone');
});

test('places outputs under --out by the layout, and fails files that the layout cannot place', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'out');
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 2));
  const hive = await run([source], { out, layout: 'hive' });
  const name = 'deribit_trades_2024-03-01_BTC-PERPETUAL.parquet';
  assert.equal(
    hive.files[0]?.path,
    join(out, 'exchange=deribit/data_type=trades/dataset_symbol=BTC-PERPETUAL/date=2024-03-01', name),
  );
  assert.ok(existsSync(hive.files[0].path));
  assert.equal((await run([source], { out })).files[0]?.path, join(out, name));

  await mkdir(join(dir, 'tree/a'), { recursive: true });
  const unnamed = join(dir, 'tree/a/1.csv.gz');
  await writeFile(unnamed, gzipSync(csvOf('trades', 2)));
  const mixed = await run([unnamed, source], {
    out,
    layout: 'hive',
    existing: 'overwrite',
    keepSource: false,
  });
  assert.deepEqual([mixed.summary.exitCode, mixed.summary.counts], [2, { failed: 1, converted: 1 }]);
  const failed = mixed.files.find(({ status }) => status === 'failed');
  assert.deepEqual([failed?.source, failed?.error?.code], [unnamed, 'usage']);
  assert.match(failed?.error?.message ?? '', /does not state exchange, .*; rename the file/);
  assert.ok(existsSync(unnamed) && !existsSync(source), 'what failed stays');
  await mkdir(join(dir, 'tree/b'));
  await writeFile(join(dir, 'tree/b/1.csv.gz'), gzipSync(csvOf('trades', 2)));
  await assert.rejects(run([join(dir, 'tree')], { out }), usage(/would be written to/));
  const beside = await run([join(dir, 'tree')]);
  assert.deepEqual(beside.summary.counts, { converted: 2 });
});

test('removes sources only after a complete conversion', async (t) => {
  const dir = await tempDir(t);
  const good = await writeDayFile(dir, 'trades', csvOf('trades', 20), 'GOOD');
  const bad = await writeDayFile(dir, 'trades', 'exchange\n', 'BAD');
  await run([good]);
  const { summary } = await run([dir], { keepSource: false });
  assert.deepEqual(summary.counts, { skipped: 1, failed: 1 });
  assert.deepEqual([existsSync(good), existsSync(bad)], [false, true]);
  assert.ok(existsSync(good.replace('csv.gz', 'parquet')));
});

test('keeps a source that changes during the conversion, with a warning', async (t) => {
  const dir = await tempDir(t);
  const [header = '', ...lines] = csvOf('incremental_book_L2', 50_000).split(/(?<=\n)/);
  const block = gzipSync(lines.join(''), { level: 1 });
  const bytes = Buffer.concat([gzipSync(header), ...Array<Buffer>(10).fill(block)]);
  const source = await writeDayFile(dir, 'incremental_book_L2', bytes);
  const { summary, events } = await run([source], {
    keepSource: false,
    onEvent: (event) => {
      if (event.event === 'progress') utimesSync(source, 1, 1);
    },
  });
  assert.deepEqual(summary.counts, { converted: 1 });
  assert.ok(existsSync(source));
  const warning = events.find((event) => event.event === 'warning');
  assert.match(warning?.message ?? '', /changed during the conversion; keeping it/);
});

test('a folder at the target, or a file in place of a folder, fails one file', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 2));
  await mkdir(source.replace('csv.gz', 'parquet'));
  const blockedTarget = await run([source]);
  assert.deepEqual([blockedTarget.summary.exitCode, blockedTarget.files[0]?.status], [8, 'failed']);
  await writeFile(join(dir, 'file'), '');
  const blocked = await run([source], { out: join(dir, 'file') });
  assert.equal(blocked.summary.exitCode, 8);
  assert.deepEqual(
    (await readdir(dir)).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('an abort leaves no output and reports the interrupt', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'incremental_book_L2', csvOf('incremental_book_L2', 60_000));
  const controller = new AbortController();
  const { summary, files } = await run([source], {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.event === 'start') controller.abort(new TickhaulError('interrupted', 'interrupted (SIGINT)'));
    },
  });
  assert.deepEqual([summary.exitCode, summary.unfinished, files.length], [130, 1, 0]);
  assert.deepEqual(await readdir(dir), [source.slice(dir.length + 1)]);
});

test('converts many files in few threads, each once and completely', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 30);
  const names = Array.from({ length: 25 }, (_, i) => `S${i}`);
  for (const name of names) await writeDayFile(dir, 'trades', csv, name);
  const { summary, files } = await run([dir, dir], { jobs: 3 });
  assert.deepEqual(summary.counts, { converted: 25 });
  assert.equal(new Set(files.map(({ path }) => path)).size, 25);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size > 0));
  assert.ok(sizes.every(Boolean));
});
