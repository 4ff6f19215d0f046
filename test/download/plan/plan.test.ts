import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { formatDay, isFirstOfMonth, parseDay } from '../../../src/dataset/day.js';
import { optionsEntry } from '../../../src/download/conversion/conversion-entry.js';
import { countPlan, makePlan } from '../../../src/download/plan/plan.js';
import { scopeOf } from '../../../src/download/plan/survey.js';
import type { ConvertSetting, Existing, PlannedFile, Selection } from '../../../src/download/types.js';
import { convertOptions } from '../../../src/format/options.js';
import type { ExchangeRecord } from '../../../src/service/records/metadata.js';
import { openFolder } from '../../../src/store/folder/folder-destination.js';
import { openManifest } from '../../../src/store/manifest/manifest.js';
import { tempDir } from '../../helpers/temp.js';

const RECORD: ExchangeRecord = {
  id: 'deribit',
  datasets: {
    exportedFrom: '2020-01-01T00:00:00.000Z',
    exportedUntil: '2024-03-10T00:00:00.000Z',
    symbols: [
      symbol('BTC-PERPETUAL', 'perpetual', ['trades', 'quotes']),
      symbol('ETH-PERPETUAL', 'perpetual', ['trades', 'quotes'], '2024-03-05T08:00:00.000Z'),
      symbol('BTC-29MAR24', 'future', ['trades']),
      symbol('BTC-1MAR24', 'future', ['trades'], '2024-01-01T00:00:00.000Z', '2024-03-01T08:00:00.000Z'),
      symbol('OPTIONS', 'option', ['options_chain']),
    ],
  },
};

function symbol(
  id: string,
  type: string,
  dataTypes: string[],
  since = '2020-01-01T00:00:00.000Z',
  to?: string,
) {
  return { id, type, dataTypes, availableSince: since, ...(to !== undefined && { availableTo: to }) };
}

const SYMBOLS = ['BTC-PERPETUAL', 'ETH-PERPETUAL', 'BTC-29MAR24', 'BTC-1MAR24'];

interface Options {
  readonly convert?: ConvertSetting;
  readonly hasKey?: boolean;
  readonly existing?: Existing;
  readonly dir?: string;
  readonly record?: ExchangeRecord;
}

async function plan(t: TestContext, selection: Partial<Selection>, options: Options = {}) {
  const dir = options.dir ?? (await tempDir(t));
  const manifest = await openManifest(dir, { warn: assert.fail });
  t.after(() => manifest.close());
  return makePlan({
    selection: {
      exchange: 'deribit',
      types: ['trades'],
      symbols: ['BTC-PERPETUAL'],
      layout: 'flat',
      ...selection,
    },
    record: options.record ?? RECORD,
    manifest,
    destination: openFolder(dir),
    existing: options.existing ?? 'skip',
    convert: options.convert,
    mayRead: ({ day }) => (options.hasKey ?? true) || isFirstOfMonth(day),
  });
}

const days = (files: Iterable<PlannedFile>): string[] => [...files].map((p) => formatDay(p.file.day));
const told = (files: Iterable<PlannedFile>): string[] =>
  [...files].map((p) => `${p.file.symbol} ${p.file.dataType} ${formatDay(p.file.day)} ${p.status}`);

test('the last and the first day come before the rest', async (t) => {
  const { files } = await plan(t, { from: '2024-03-02', to: '2024-03-07' });
  assert.deepEqual(days(files()), ['2024-03-06', '2024-03-02', '2024-03-03', '2024-03-04', '2024-03-05']);
});

test('a plan can be walked more than once, each day file once', async (t) => {
  const { files } = await plan(t, { types: ['all'], symbols: ['all'], from: '2024-02-25', to: '2024-03-15' });
  const once = told(files());
  assert.deepEqual(told(files()), once);
  assert.equal(new Set(once).size, once.length);
  assert.equal((await countPlan({ files })).counts.files, once.length);
});

test('days past the export are pending, and those outside the availability are unavailable', async (t) => {
  const { files } = await plan(t, { symbols: ['eth-perpetual'], from: '2024-03-04', to: '2024-03-12' });
  assert.deepEqual(told(files()).sort(), [
    'ETH-PERPETUAL trades 2024-03-04 unavailable',
    'ETH-PERPETUAL trades 2024-03-05 download',
    'ETH-PERPETUAL trades 2024-03-06 download',
    'ETH-PERPETUAL trades 2024-03-07 download',
    'ETH-PERPETUAL trades 2024-03-08 download',
    'ETH-PERPETUAL trades 2024-03-09 download',
    'ETH-PERPETUAL trades 2024-03-10 pending',
    'ETH-PERPETUAL trades 2024-03-11 pending',
  ]);
});

test('the day on which a symbol was delisted is asked for, and may be absent', async (t) => {
  const { files } = await plan(t, { symbols: ['BTC-1MAR24'], from: '2024-02-29', to: '2024-03-03' });
  const found = [...files()].map((p) => [formatDay(p.file.day), p.status, p.mayBeAbsent]);
  assert.deepEqual(found.sort(), [
    ['2024-02-29', 'download', false],
    ['2024-03-01', 'download', true],
    ['2024-03-02', 'unavailable', false],
  ]);
});

test('without a key only the first day of each month is asked for', async (t) => {
  const { files } = await plan(t, { from: '2024-02-28', to: '2024-03-03' }, { hasKey: false });
  assert.deepEqual([...files()].map((p) => [formatDay(p.file.day), p.status]).sort(), [
    ['2024-02-28', 'unauthorized'],
    ['2024-02-29', 'unauthorized'],
    ['2024-03-01', 'download'],
    ['2024-03-02', 'unauthorized'],
  ]);
});

test('without --to the range ends with the export', async (t) => {
  assert.deepEqual(days((await plan(t, { from: '2024-03-08' })).files()), ['2024-03-09', '2024-03-08']);
});

test('a day that is not exported yet is pending, not an empty range', async (t) => {
  assert.deepEqual(told((await plan(t, { from: '2024-03-11' })).files()), [
    'BTC-PERPETUAL trades 2024-03-11 pending',
  ]);
});

test('--last counts exported days', async (t) => {
  assert.deepEqual(days((await plan(t, { last: 2 })).files()), ['2024-03-09', '2024-03-08']);
});

test('"all" symbols are every one but the grouped ones', async (t) => {
  const { files } = await plan(t, { types: ['all'], symbols: ['all'], date: '2024-03-08' });
  const symbols = new Set([...files()].map((p) => p.file.symbol));
  assert.deepEqual([...symbols].sort(), ['BTC-29MAR24', 'BTC-PERPETUAL', 'ETH-PERPETUAL']);
});

test('symbols that a glob finds and that have no day in the range are left out, unless nothing else is left', async (t) => {
  const none = await plan(t, { symbols: ['BTC-1MAR*'], date: '2024-03-08' });
  assert.deepEqual(told(none.files()), ['BTC-1MAR24 trades 2024-03-08 unavailable']);
  const some = await plan(t, { symbols: ['BTC-*'], date: '2024-02-08' });
  assert.equal(told(some.files()).length, 3);
});

test('a grouped symbol that is named is taken', async (t) => {
  const { files } = await plan(t, { types: ['options_chain'], symbols: ['options'], date: '2024-03-08' });
  assert.deepEqual(told(files()), ['OPTIONS options_chain 2024-03-08 download']);
});

test('a data type that a named symbol lacks is unavailable; one that a glob’s symbol lacks is left out', async (t) => {
  const day = { types: ['quotes'], date: '2024-03-08' };
  const named = await plan(t, { ...day, symbols: ['BTC-29MAR24'] });
  assert.deepEqual(told(named.files()), ['BTC-29MAR24 quotes 2024-03-08 unavailable']);
  const glob = await plan(t, { ...day, symbols: ['BTC*'] });
  assert.deepEqual(told(glob.files()), ['BTC-PERPETUAL quotes 2024-03-08 download']);
});

test('--symbol-type keeps only symbols of these types', async (t) => {
  const { files } = await plan(t, { symbols: ['BTC*'], symbolTypes: ['perpetual'], date: '2024-03-08' });
  assert.deepEqual(told(files()), ['BTC-PERPETUAL trades 2024-03-08 download']);
});

for (const [selection, said] of [
  [{ symbols: ['BTC-PERPETUL'] }, /unknown symbol "BTC-PERPETUL" for deribit; did you mean BTC-PERPETUAL,/],
  [{ symbols: ['DOGE*'] }, /no symbol of deribit matches "DOGE\*"/],
  [{ types: ['trade'] }, /unknown data type "trade" for deribit; did you mean trades\?/],
  [{ symbols: ['all'], symbolTypes: ['futures'] }, /unknown symbol type "futures".*did you mean future\?/],
  [{ symbols: ['BTC-29MAR24'], symbolTypes: ['option'] }, /no symbol of deribit matches the selection/],
  [{ date: '2024-02-30' }, /"2024-02-30" is not a day of the calendar/],
  [{ from: '2024-03-05', to: '2024-03-05', date: undefined }, /--to 2024-03-05 must be after --from/],
  [{ from: '2024-03-05' }, /only one of --date, --from and --to/],
  [{ date: undefined, to: '2024-03-05' }, /--to needs --from/],
  [{ date: undefined }, /no days selected/],
  [{ symbols: [] }, /no symbol selected/],
  [{ types: [] }, /no data type selected/],
  [{ layout: '{symbol}' }, /different day files one name/],
] as const) {
  test(`refused: ${JSON.stringify(selection)}`, async (t) => {
    await assert.rejects(plan(t, { date: '2024-03-08', ...(selection as Partial<Selection>) }), {
      code: 'usage',
      message: said,
    });
  });
}

test('an exchange without datasets is refused', async (t) => {
  await assert.rejects(plan(t, { date: '2024-03-08' }, { record: { id: 'deribit' } }), {
    message: /has no datasets/,
  });
});

test('two symbols that no file name can tell apart are refused', async (t) => {
  const symbols = [symbol('A*B', 'spot', ['trades']), symbol('A-B', 'spot', ['trades'])];
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols } };
  await assert.rejects(plan(t, { symbols: ['all'], date: '2024-03-08' }, { record }), {
    message: /share the name/,
  });
});

test('every selected day is planned exactly once, in or out of the availability', async (t) => {
  const first = parseDay('2024-02-20');
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (skip, count, hasKey) => {
        const from = formatDay((first + skip) as typeof first);
        const to = formatDay((first + skip + count) as typeof first);
        const { files } = await plan(t, { symbols: SYMBOLS, from, to }, { hasKey });
        const each = days(files()).sort();
        assert.equal(each.length, 4 * count);
        assert.equal(new Set(told(files())).size, 4 * count);
        assert.equal(each[0], from);
        assert.ok((each.at(-1) ?? '') < to);
      },
    ),
    { numRuns: 30 },
  );
});

test('what is on disk: recorded with its size, unknown, another size, a part', async (t) => {
  const dir = await tempDir(t);
  const name = (day: string): string => `deribit_trades_${day}_BTC-PERPETUAL.csv.gz`;
  const manifest = await openManifest(dir, { warn: assert.fail });
  for (const day of ['2024-03-04', '2024-03-05', '2024-03-06']) {
    await manifest.append({
      file: { exchange: 'deribit', dataType: 'trades', symbol: 'BTC-PERPETUAL', day: parseDay(day) },
      path: name(day),
      bytes: 4,
      md5: '0'.repeat(32),
      sha256: '0'.repeat(64),
      md5Match: null,
      rows: 0,
      time: '2024-03-10T00:00:00.000Z',
      version: '0.0.0',
    });
  }
  await manifest.close();
  await writeFile(join(dir, name('2024-03-04')), 'four');
  await writeFile(join(dir, name('2024-03-05')), 'three');
  await writeFile(join(dir, name('2024-03-07')), 'unknown');
  await writeFile(join(dir, `${name('2024-03-08')}.part`), 'begun');
  const range = { from: '2024-03-04', to: '2024-03-10' };
  const found = async (existing: Existing): Promise<unknown[]> =>
    [...(await plan(t, range, { dir, existing })).files()]
      .sort((a, b) => a.file.day - b.file.day)
      .map((p) => `${p.status} ${p.action}`);
  assert.deepEqual(await found('skip'), [
    'skip nothing',
    'download fetch',
    'download fetch',
    'skip adopt',
    'resume fetch',
    'download fetch',
  ]);
  assert.deepEqual((await found('verify')).slice(0, 2), ['skip check', 'skip check']);
  assert.deepEqual((await found('overwrite')).slice(0, 2), ['download fetch', 'download fetch']);
});

test('what is on disk of a CSV and its conversion, and what is wanted', async (t) => {
  const dir = await tempDir(t);
  const options = convertOptions('parquet', {});
  const stem = 'deribit_trades_2024-03-04_BTC-PERPETUAL';
  const path = `${stem}.csv.gz`;
  const output = `${stem}.parquet`;
  const entry = { path: output, bytes: 3, sha256: 'f'.repeat(64), rows: 0, options: optionsEntry(options) };
  const record = {
    file: { exchange: 'deribit', dataType: 'trades', symbol: 'BTC-PERPETUAL', day: parseDay('2024-03-04') },
    path,
    bytes: 4,
    md5: '0'.repeat(32),
    sha256: '0'.repeat(64),
    md5Match: null,
    rows: 0,
    time: '2024-03-10T00:00:00.000Z',
    version: '0.0.0',
  };
  const manifest = await openManifest(dir, { warn: assert.fail });
  const keep: ConvertSetting = { options, keepCsv: true, threads: 1 };
  const drop = { ...keep, keepCsv: false };
  const other = { ...drop, options: convertOptions('parquet', { compression: 'gzip' }) };
  const wanted: readonly (ConvertSetting | undefined)[] = [undefined, keep, drop, other];
  const found = async (existing: Existing = 'skip'): Promise<string> => {
    const told = wanted.map(async (convert) => {
      const { files } = await plan(t, { date: '2024-03-04' }, { dir, existing, ...(convert && { convert }) });
      const [planned] = [...files()];
      assert.deepEqual(planned?.outputs, convert ? [{ path: output, type: undefined }] : []);
      return planned?.action;
    });
    return (await Promise.all(told)).join(' ');
  };
  assert.equal(await found(), 'fetch fetch fetch fetch');
  await writeFile(join(dir, path), 'four');
  assert.equal(await found(), 'adopt adopt adopt adopt');
  await manifest.append(record);
  assert.equal(await found(), 'nothing check check check');
  await manifest.append({ ...record, conversions: [entry] });
  assert.equal(await found(), 'nothing check check check', 'recorded and gone');
  await writeFile(join(dir, output), 'cut off');
  assert.equal(await found(), 'nothing check check check', 'recorded and of another size');
  await writeFile(join(dir, output), 'out');
  assert.equal(await found(), 'nothing nothing drop check');
  assert.equal(await found('verify'), 'check check check check');
  assert.equal(await found('overwrite'), 'fetch fetch fetch fetch');
  await manifest.append({ ...record, conversions: [entry], dropped: true });
  assert.equal(await found(), 'check check drop check', 'recorded as dropped and still there');
  await rm(join(dir, path));
  assert.equal(await found(), 'fetch fetch nothing fetch');
  assert.equal(await found('verify'), 'fetch fetch check fetch');
  assert.equal(await found('overwrite'), 'fetch fetch fetch fetch');
  await manifest.append({ ...record, conversions: [entry] });
  assert.equal(await found(), 'fetch fetch nothing fetch', 'a CSV that somebody deleted');
  await manifest.close();
});

test('a million day files are planned one at a time', async (t) => {
  const dataTypes = ['trades'];
  const symbols = Array.from({ length: 1000 }, (_, i) => symbol(`S${i}`, 'spot', dataTypes));
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols } };
  const { files } = await plan(t, { symbols: ['all'], from: '2021-06-14' }, { record });
  const walk = files();
  assert.equal(walk.next().value?.status, 'download');
  assert.equal((await countPlan({ files })).counts.files, 1_000_000);
});

test('records are looked for wherever a path may be taken: of a layout as a function, everywhere', () => {
  const selection = {
    exchange: 'deribit',
    types: ['trades'],
    symbols: ['BTC-PERPETUAL'],
    date: '2024-03-01',
  };
  assert.deepEqual(scopeOf({ ...selection, layout: 'hive' }, RECORD).exchanges, ['deribit']);
  assert.deepEqual(scopeOf({ ...selection, layout: ({ symbol, date }) => `${symbol}/${date}` }, RECORD), {});
});
