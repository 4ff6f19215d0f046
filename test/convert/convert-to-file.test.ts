import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import { TickhaulError } from '../../src/base/errors.js';
import type { OutputFormatName } from '../../src/base/output-format-names.js';
import { type ConvertToFileInput, convertToFile } from '../../src/convert/convert-to-file.js';
import { parseOutputSelection } from '../../src/convert/output-selection.js';
import { MIN_BYTES_FOR_THREAD } from '../../src/convert/threads/kernel-pool.js';
import { parseDay } from '../../src/day-files/day.js';
import { dayFileName } from '../../src/day-files/layout.js';
import type { FileEvent, RunEvent } from '../../src/events/run-events.js';
import { createOutputOptions } from '../../src/format/output-formats.js';
import { parseComputedTypeName } from '../../src/market/message-type-name.js';
import { generateDayFileText } from '../../src/sandbox/archive/generate-day-file.js';
import { readWithFlechette } from '../format/arrow/read-arrow.js';
import { duckFor } from '../format/parquet/readers.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { csvOf, type Ran, run } from './day-files.js';

interface SeriesDay {
  readonly exchange?: string;
  readonly dataType?: string;
  readonly symbol?: string;
  readonly day?: string;
}

/** Writes a day file. @param content rows of generated data, or its text or bytes. @returns its path. */
async function writeDay(
  dir: string,
  { exchange = 'deribit', dataType = 'trades', symbol = 'BTC-PERPETUAL', day = '2024-03-01' }: SeriesDay,
  content: number | string | Buffer = 20,
): Promise<string> {
  const file = { exchange, dataType, symbol, day: parseDay(day) };
  const size = { rows: content as number, seed: 7 };
  const text =
    typeof content === 'number' ? [...generateDayFileText(file, [symbol], size)].join('') : content;
  const path = join(dir, `${dayFileName(file)}.csv.gz`);
  await writeFile(path, typeof text === 'string' ? gzipSync(text) : text);
  return path;
}

/** Day files of two exchanges, days and symbols; in the order of one file. */
const SERIES: readonly SeriesDay[] = ['2024-03-01', '2024-03-02'].flatMap((day) => [
  { day, exchange: 'binance', symbol: 'ETHUSDT' },
  { day, exchange: 'deribit', symbol: 'BTC-PERPETUAL' },
  { day, exchange: 'deribit', symbol: 'ETH-PERPETUAL' },
]);

type Options = Partial<Omit<ConvertToFileInput, 'paths' | 'options' | 'emit' | 'target' | 'computed'>> & {
  readonly format?: OutputFormatName;
  readonly chosen?: Parameters<typeof createOutputOptions>[1];
  readonly as?: string | undefined;
  readonly onEvent?: (event: RunEvent) => void;
};

async function runToFile(paths: readonly string[], target: string, options: Options = {}): Promise<Ran> {
  const { format = 'parquet', chosen = {}, as, onEvent, ...input } = options;
  const events: RunEvent[] = [];
  const summary = await convertToFile({
    paths,
    target,
    options: createOutputOptions(format, chosen),
    computed: as === undefined ? undefined : parseComputedTypeName(as),
    jobs: 2,
    existing: 'skip',
    keepSource: true,
    signal: new AbortController().signal,
    ...input,
    emit: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  return { summary, events, files: events.filter((event) => event.event === 'file') };
}

function statusesOf({ files }: Ran): readonly unknown[] {
  return files.map(({ status, rows }) => [status, rows]);
}

const usage = (message: RegExp) => ({ name: 'TickhaulError', code: 'usage', message });

/** The outputs of single files, in the order of their sources. */
async function convertSingly(
  paths: readonly string[],
  out: string,
  format: OutputFormatName,
  as: string | undefined,
): Promise<readonly string[]> {
  const outputSelection = as === undefined ? undefined : parseOutputSelection([as]);
  const outputs: string[] = [];
  for (const path of paths) {
    const { files } = await run([path], { format, out, outputSelection });
    outputs.push(...files.map((file) => file.path));
  }
  return outputs;
}

const DUCK_READERS = { parquet: 'read_parquet', ndjson: 'read_json_auto', csv: 'read_csv' };

async function readRows(t: TestContext, format: keyof typeof DUCK_READERS, paths: readonly string[]) {
  const duck = await duckFor(t);
  const list = paths.map((path) => `'${path}'`).join();
  return duck.query(`SELECT * FROM ${DUCK_READERS[format]}([${list}])`);
}

for (const format of ['parquet', 'ndjson', 'arrow', 'csv'] as const) {
  for (const as of [undefined, 'trade_bar_1m']) {
    test(`one ${format} file of ${as ?? 'rows'} equals the single ones after each other`, async (t) => {
      const dir = await tempDir(t);
      const paths: string[] = [];
      for (const [i, series] of SERIES.entries()) paths.push(await writeDay(dir, series, 300 + 50 * i));
      const singles = await convertSingly(paths, join(dir, 'single'), format, as);
      const contents: Buffer[] = [];
      for (const jobs of [1, 4]) {
        const target = join(dir, `all-${jobs}.${format}`);
        const { summary, files } = await runToFile(paths.toReversed(), target, { format, as, jobs });
        assert.deepEqual(summary.counts, { converted: 1 });
        assert.deepEqual(files[0]?.sources, paths, 'by day, exchange and symbol');
        contents.push(await readFile(target));
      }
      assert.deepEqual(contents[0], contents[1], 'any number of threads writes the same bytes');
      const expected = await Promise.all(singles.map((path) => readFile(path)));
      if (format === 'ndjson') assert.equal(String(contents[0]), String(Buffer.concat(expected)));
      const withoutHeader = (csv: Buffer): string => String(csv).replace(/^.*\n/, '');
      if (format === 'csv')
        assert.equal(withoutHeader(contents[0] as Buffer), expected.map(withoutHeader).join(''));
      if (format === 'arrow') {
        const tables = expected.map(readWithFlechette);
        const columns = tables[0]?.map((_, i) => tables.flatMap((table) => table[i] ?? []));
        assert.deepEqual(readWithFlechette(contents[0] as Buffer), columns);
      } else {
        const rows = await readRows(t, format, [join(dir, `all-1.${format}`)]);
        assert.ok(rows.length >= (as === undefined ? 2500 : 100), `${rows.length} rows`);
        assert.deepEqual(rows, await readRows(t, format, singles));
      }
    });
  }
}

test('computes rows of many files in threads, in the order of the files', async (t) => {
  const dir = await tempDir(t);
  const paths: string[] = [];
  for (let i = 0; i < 40; i++) {
    const day = `2024-${i < 20 ? '03' : '04'}-${String((i % 20) + 1).padStart(2, '0')}`;
    paths.push(await writeDay(dir, { day }, 30 + i));
  }
  const singles = await convertSingly(paths, join(dir, 'single'), 'ndjson', 'trade_bar_1s');
  const expected = Buffer.concat(await Promise.all(singles.map((path) => readFile(path))));
  const target = join(dir, 'all.ndjson');
  const { summary, events } = await runToFile([dir], target, { format: 'ndjson', as: 'trade_bar_1s' });
  assert.equal(summary.exitCode, 0);
  assert.equal(String(await readFile(target)), String(expected));
  const read = events.reduce((sum, event) => sum + (event.event === 'progress' ? event.received : 0), 0);
  const last = events.findLast((event) => event.event === 'progress');
  assert.deepEqual([read, last?.position], [last?.total, last?.total], 'progress over all sources');

  const bad = paths[35] ?? '';
  await writeFile(bad, gzipSync(`${csvOf('trades', 3)}deribit,X,1,1,1,buy,12x,1\n`));
  const failed = await runToFile([dir], target, { format: 'ndjson', as: 'trade_bar_1s' });
  assert.equal(failed.summary.exitCode, 6);
  assert.match(failed.files[0]?.error?.message ?? '', /03-16_.*line 5, column price: "12x"|04-16_.*line 5/);
  assert.equal(String(await readFile(target)), String(expected), 'the earlier file stays');
});

test('kernels in threads write the same bytes, and name the source of a bad row', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('incremental_book_L2', 50_000);
  const at = csv.indexOf('\n') + 1;
  const members = [
    gzipSync(csv.slice(0, at)),
    ...Array<Buffer>(6).fill(gzipSync(csv.slice(at), { level: 1 })),
  ];
  const content = Buffer.concat(members);
  assert.ok(content.length > 0.5 * MIN_BYTES_FOR_THREAD, `${content.length} bytes`);
  const paths: string[] = [];
  for (const day of ['2024-03-01', '2024-03-02'])
    paths.push(await writeDay(dir, { dataType: 'incremental_book_L2', day }, content));
  const contents: Buffer[] = [];
  for (const jobs of [1, 3]) {
    const target = join(dir, `all-${jobs}.parquet`);
    assert.deepEqual(statusesOf(await runToFile(paths, target, { jobs })), [['converted', 600_000]]);
    contents.push(await readFile(target));
  }
  assert.ok(contents[0]?.equals(contents[1] as Buffer));
  const bad = paths[1] ?? '';
  await writeFile(
    bad,
    Buffer.concat([...members, gzipSync('deribit,X,1,2,false,bid,x,1\n'), ...members.slice(1)]),
  );
  const { files } = await runToFile(paths, join(dir, 'all.parquet'), { jobs: 3 });
  const message = files[0]?.error?.message ?? '';
  assert.ok(message.startsWith(`${bad}: line 300002, column price: "x"`), message);
});

for (const format of ['parquet', 'ndjson'] as const) {
  test(`${format}: a second run skips one file, and a change of its sources converts it again`, async (t) => {
    const dir = await tempDir(t);
    const first = await writeDay(dir, {}, 40);
    const second = await writeDay(dir, { day: '2024-03-02' }, 50);
    const target = join(dir, `all.${format}`);
    const convertAgain = async (options: Options = {}): Promise<unknown> =>
      statusesOf(await runToFile([dir], target, { format, ...options }));
    assert.deepEqual(await convertAgain(), [['converted', 90]]);
    assert.deepEqual(await convertAgain(), [['skipped', 90]]);
    assert.deepEqual(await convertAgain({ existing: 'overwrite' }), [['converted', 90]]);
    assert.deepEqual(await convertAgain({ chosen: { numbers: 'string' } }), [['converted', 90]]);
    assert.deepEqual(await convertAgain(), [['converted', 90]], 'other options');
    const third = await writeDay(dir, { day: '2024-03-03' }, 10);
    assert.deepEqual(await convertAgain(), [['converted', 100]], 'another source');
    await rm(third);
    assert.deepEqual(await convertAgain({ existing: 'overwrite' }), [['converted', 90]], 'a source less');
    const bytes = await readFile(second);
    bytes[4] = 99;
    await writeFile(second, bytes);
    assert.deepEqual(await convertAgain(), [['converted', 90]], 'another md5');
    await rename(first, `${first}.old`);
    await rename(second, first);
    await rename(`${first}.old`, second);
    assert.deepEqual(await convertAgain(), [['converted', 90]], 'another order');
    assert.deepEqual(await convertAgain({ as: 'trade_bar_1440m' }), [['converted', 2]], 'another type');
    assert.deepEqual(await convertAgain({ as: 'trade_bar_1440m' }), [['skipped', 2]]);
    await rm(target);
    assert.deepEqual(await convertAgain(), [['converted', 90]], 'the output is gone');
  });
}

test('one file of one source has the bytes of a single output', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDay(dir, {}, 40);
  await run([source]);
  const single = source.replace('csv.gz', 'parquet');
  await runToFile([source], join(dir, 'all.parquet'));
  assert.deepEqual(await readFile(join(dir, 'all.parquet')), await readFile(single));
  assert.deepEqual(statusesOf(await runToFile([source], single)), [['skipped', 40]]);
});

test('a source that fails leaves no file, or the earlier one, and its error is that of the run', async (t) => {
  const dir = await tempDir(t);
  await writeDay(dir, {}, 40);
  const row = 'deribit,X,1583020800000001,1583020800000002,1,buy,12x,1\n';
  const bad = await writeDay(dir, { day: '2024-03-02' }, csvOf('trades', 2) + row);
  const target = join(dir, 'all.parquet');
  const failed = await runToFile([dir], target);
  assert.equal(failed.summary.exitCode, 6);
  const [event] = failed.files as [FileEvent];
  assert.deepEqual([event.status, event.path, event.error?.code], ['failed', target, 'corrupt']);
  assert.ok(event.error?.message.startsWith(`${bad}: line 4, column price`), event.error?.message);
  assert.equal(event.sources?.length, 2);
  assert.deepEqual(
    (await readdir(dir)).filter((name) => /parquet|part/.test(name)),
    [],
  );

  await writeDay(dir, { day: '2024-03-02' }, 10);
  await runToFile([dir], target);
  const complete = await readFile(target);
  const cut = gzipSync(csvOf('trades', 2000));
  await writeFile(bad, cut.subarray(0, cut.length - 200));
  const again = await runToFile([dir], target, { keepSource: false });
  assert.equal(again.summary.exitCode, 6);
  assert.match(again.files[0]?.error?.message ?? '', /the gzip stream ends early/);
  assert.deepEqual(await readFile(target), complete);
  assert.ok(existsSync(bad), 'no source is removed');
});

test('an abort leaves no file', async (t) => {
  const dir = await tempDir(t);
  await writeDay(dir, {}, 40);
  await writeDay(dir, { day: '2024-03-02' }, 40);
  const controller = new AbortController();
  const { summary, files } = await runToFile([dir], join(dir, 'all.parquet'), {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.event === 'progress')
        controller.abort(new TickhaulError('interrupted', 'interrupted (SIGINT)'));
    },
  });
  assert.deepEqual([summary.exitCode, summary.unfinished, files.length], [130, 1, 0]);
  assert.equal((await readdir(dir)).length, 2);
});

test('the end of a source ends a row group that has a quarter of its rows', async (t) => {
  const dir = await tempDir(t);
  const rows = [100, 100, 100, 300, 1100, 50, 0, 240];
  for (const [i, count] of rows.entries())
    await writeDay(dir, { day: `2024-03-0${i + 1}` }, csvOf('trades', count));
  const target = join(dir, 'all.parquet');
  await runToFile([dir], target, { chosen: { rowGroup: 1000 } });
  const { row_groups } = parquetMetadata(Uint8Array.from(await readFile(target)).buffer);
  assert.deepEqual(
    row_groups.map(({ num_rows }) => Number(num_rows)),
    [300, 300, 1000, 390],
  );
});

test('refuses day files of several data types, twice the same day, and names without a day', async (t) => {
  const dir = await tempDir(t);
  const trades = await writeDay(dir, {});
  await writeDay(dir, { dataType: 'quotes' });
  const target = join(dir, 'all.parquet');
  await assert.rejects(
    runToFile([dir], target),
    usage(/all.parquet: .* of 2 data types \(quotes, trades\).* choose it with --type/),
  );
  const bars = await runToFile([dir], target, { as: 'trade_bar_1m' });
  assert.deepEqual(bars.summary.counts, { converted: 1 });
  assert.ok(
    bars.events.some((event) => event.event === 'warning' && /skipping .*quotes/.test(event.message)),
  );
  await assert.rejects(
    runToFile([dir], `${target}2`, { as: 'quote_1s' }),
    usage(/no day file to convert; skip/),
  );

  await mkdir(join(dir, 'copy'));
  const copy = await writeDay(join(dir, 'copy'), {});
  await assert.rejects(runToFile([trades, copy], target), usage(/are the same day file/));
  const unnamed = join(dir, 'mine.csv.gz');
  await writeFile(unnamed, gzipSync(csvOf('trades', 2)));
  await assert.rejects(runToFile([trades, unnamed], target), usage(/mine.csv.gz: its name does not state/));
  assert.deepEqual(statusesOf(await runToFile([unnamed], target)), [['converted', 2]]);
});

test('refuses other columns, and takes an empty day for one without rows', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 2);
  const empty = await writeDay(dir, {}, '');
  const second = await writeDay(dir, { day: '2024-03-02' }, csv.replace(/$/gm, ',x').replace(/,x$/, ''));
  await writeDay(dir, { day: '2024-03-03' }, '');
  const target = join(dir, 'all.parquet');
  const { summary, events } = await runToFile([dir], target);
  assert.deepEqual(summary.counts, { converted: 1 });
  assert.ok(events.some((event) => event.event === 'warning' && /unknown columns/.test(event.message)));
  await rm(target);
  const other = await writeDay(dir, { day: '2024-03-04' }, csv);
  const { files } = await runToFile([dir], target);
  assert.equal(files[0]?.error?.code, 'usage');
  const message = files[0]?.error?.message ?? '';
  assert.ok(message.startsWith(`${other}: its columns are not those of ${second} (lacks x)`), message);
  assert.ok(existsSync(empty) && !existsSync(target));
});

test('leaves out grouped symbols beside others, unless symbols are named', async (t) => {
  const dir = await tempDir(t);
  const single = await writeDay(dir, { symbol: 'BTC-PERPETUAL' });
  const grouped = await writeDay(dir, { symbol: 'PERPETUALS' });
  const target = join(dir, 'all.parquet');
  const { files, events } = await runToFile([dir], target);
  assert.deepEqual(files[0]?.sources, [single]);
  assert.ok(
    events.some(
      (event) => event.event === 'warning' && /leaving out 1 day file of PERPETUALS/.test(event.message),
    ),
  );
  const named = await runToFile([dir], target, { selection: { symbols: ['*'] } });
  assert.deepEqual(named.files[0]?.sources, [single, grouped]);
  assert.deepEqual((await runToFile([grouped], target)).files[0]?.sources, [grouped]);
});

test('removes sources after the file is complete, and keeps rows whose sources it removed', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'out');
  await writeDay(dir, {}, 30);
  await writeDay(dir, { day: '2024-03-02' }, 30);
  const target = join(out, 'all.parquet');
  await writeFile(join(dir, 'other.csv.gz'), gzipSync(csvOf('trades', 2)));
  const day = join(dir, '*2024-03*');
  assert.deepEqual(statusesOf(await runToFile([day], target, { keepSource: false })), [['converted', 60]]);
  assert.deepEqual(await namesIn(dir), ['other.csv.gz', 'out']);
  await writeDay(dir, { day: '2024-03-03' }, 5);
  const guarded = await runToFile([day], target, { keepSource: false });
  assert.equal(guarded.summary.exitCode, 2);
  assert.match(
    guarded.files[0]?.error?.message ?? '',
    /has the rows of 2 day files that are not selected now/,
  );
  const overwritten = await runToFile([day], target, { keepSource: false, existing: 'overwrite' });
  assert.deepEqual(statusesOf(overwritten), [['converted', 5]]);
  assert.equal(basename(overwritten.files[0]?.path ?? ''), 'all.parquet');
});

for (const format of ['parquet', 'csv'] as const) {
  test(`${format}: an output that is a day file to read is refused, an earlier output left out`, async (t) => {
    const dir = await tempDir(t);
    const source = await writeDay(dir, {}, 30);
    const named = join(dir, `day.${format}`);
    await writeFile(named, await readFile(source));
    const before = await readFile(source);
    await assert.rejects(
      runToFile([named], named, { format }),
      usage(/day\.\w+: it is one of the day files/),
    );
    await assert.rejects(
      runToFile([source, named], named, { format }),
      usage(/one of the day files to read/),
    );
    assert.deepEqual(await readFile(named), before);
    // What a symbolic link to a day file leads to.
    await assert.rejects(runToFile([named], source, { format }), usage(/\.csv\.gz: it is a day file/));
    await assert.rejects(runToFile([dir], source, { format }), usage(/it is one of the day files to read/));
    assert.deepEqual(await readFile(source), before);
    const target = join(dir, `all.${format}`);
    assert.deepEqual(statusesOf(await runToFile([source], target, { format })), [['converted', 30]]);
    const again: Options = { format, selection: { dataTypes: ['trades'] } };
    assert.deepEqual(statusesOf(await runToFile([source, target], target, again)), [['skipped', 30]]);
  });
}

test('an earlier file is no success if nothing can be computed from the day files', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDay(dir, { dataType: 'quotes' }, 30);
  const target = join(dir, 'all.parquet');
  await runToFile([source], target);
  const bars = runToFile([source], target, { as: 'trade_bar_1m' });
  await assert.rejects(bars, usage(/there is no day file to convert; skipping .* not from quotes/));
});

test('a file that was changed keeps the rows of sources that its run removed', async (t) => {
  const dir = await tempDir(t);
  const target = join(dir, 'out', 'all.csv');
  const options: Options = { format: 'csv', keepSource: false };
  await writeDay(dir, {}, 30);
  await runToFile([dir], target, options);
  await writeFile(target, 'one more line\n', { flag: 'a' });
  await writeDay(dir, { day: '2024-03-02' }, 30);
  const { summary, files } = await runToFile([dir], target, options);
  assert.equal(summary.exitCode, 2);
  assert.match(files[0]?.error?.message ?? '', /has the rows of 1 day file that/);
  await rm(target);
  assert.deepEqual(statusesOf(await runToFile([dir], target, options)), [['converted', 30]]);
});

test('no later run replaces a file that has rows of day files which are gone', async (t) => {
  const dir = await tempDir(t);
  const target = join(dir, 'out', 'all.parquet');
  const [first, second] = [await writeDay(dir, {}, 30), await writeDay(dir, { day: '2024-03-02' }, 30)];
  await runToFile([dir], target);
  // A selection that moves on: the first day is still there.
  assert.deepEqual(statusesOf(await runToFile([second], target)), [['converted', 30]]);
  assert.deepEqual(statusesOf(await runToFile([first], target)), [['converted', 30]]);
  await rm(first);
  const before = await readFile(target);
  const { summary, files } = await runToFile([dir], target);
  assert.equal(summary.exitCode, 2);
  assert.match(files[0]?.error?.message ?? '', /has the rows of 1 day file that are not there any more/);
  assert.deepEqual(await readFile(target), before);
  assert.deepEqual(statusesOf(await runToFile([dir], target, { existing: 'overwrite' })), [
    ['converted', 30],
  ]);
});
