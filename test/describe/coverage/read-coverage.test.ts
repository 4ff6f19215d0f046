import assert from 'node:assert/strict';
import { appendFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, formatDay, msToDay, parseDay } from '../../../src/day-files/day.js';
import type { DayFileSelection } from '../../../src/day-files/series-filter.js';
import {
  type Coverage,
  packStates,
  splitIntoSpans,
  unpackStates,
} from '../../../src/describe/coverage/coverage-facts.js';
import { readCoverage } from '../../../src/describe/coverage/read-coverage.js';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { tempDir } from '../../helpers/temp.js';
import { BYTES, createConversion, createFolder, createRecords, ROWS, writeFolder } from './folders.js';

const warn = (message: string): void => assert.fail(message);

function read(dir: string, selection: DayFileSelection = {}): Promise<Coverage> {
  return readCoverage(openFolderDestination(dir), { selection, warn, signal: new AbortController().signal });
}

test('each day of a series is present, empty or missing, and the totals match', async (t) => {
  const root = await tempDir(t);
  let run = 0;
  const days = fc.string({ unit: fc.constantFrom('p', 'e', 'g', '.'), minLength: 1, maxLength: 20 });
  const inside = fc.tuple(days, fc.constantFrom('p', 'e', 'g')).map(([text, end]) => `${end}${text}${end}`);
  await fc.assert(
    fc.asyncProperty(fc.array(inside, { minLength: 1, maxLength: 4 }), async (series) => {
      const dir = join(root, String(run++));
      await createFolder(
        dir,
        series.map((letters, i) => ({ symbol: `S${i}`, from: '2024-02-25', days: letters })),
      );
      const coverage = await read(dir);
      for (const [i, letters] of series.entries()) {
        const entry = coverage.series[i];
        assert.ok(entry);
        assert.equal(entry.states, letters.replace(/[g.]/g, 'm'));
        assert.equal(entry.present + entry.empty + entry.missing, letters.length);
        assert.equal(entry.gone, letters.split('g').length - 1);
        assert.equal(entry.bytes, BYTES * (entry.present + entry.empty));
        assert.equal(entry.rows, ROWS * entry.present);
      }
      for (const key of ['present', 'empty', 'missing', 'gone', 'rows', 'bytes'] as const) {
        assert.equal(
          coverage.totals[key],
          coverage.series.reduce((sum, entry) => sum + entry[key], 0),
        );
      }
      for (const sums of [coverage.byDay, coverage.byRecording]) {
        assert.equal(
          sums.reduce((sum, { bytes }) => sum + bytes, 0),
          coverage.totals.bytes,
        );
        assert.deepEqual(
          sums.map(({ day }) => day),
          [...new Set(sums.map(({ day }) => day))].sort((a, b) => a - b),
        );
      }
      await rm(dir, { recursive: true });
    }),
    { numRuns: 25 },
  );
});

test('a range limits a series, and days of the range without records are missing', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [
    { symbol: 'A', from: '2024-03-01', days: 'ppp.p' },
    { symbol: 'OLD', from: '2023-01-01', days: 'pp' },
  ]);
  const from = '2024-03-03';
  const both = await read(dir, { days: { from, to: '2024-03-08' } });
  assert.deepEqual(
    both.series.map(({ symbol, states, first }) => [symbol, states, first]),
    [
      ['A', 'pmpmm', parseDay(from)],
      ['OLD', 'mmmmm', parseDay(from)],
    ],
  );
  // With one bound only, the series sets the other; a series without days in the range is left out.
  const statesWithin = async (selection: DayFileSelection): Promise<unknown> =>
    (await read(dir, selection)).series.map(({ symbol, states }) => [symbol, states]);
  assert.deepEqual(await statesWithin({ days: { from } }), [['A', 'pmp']]);
  assert.deepEqual(await statesWithin({ days: { to: '2023-01-04' } }), [['OLD', 'ppm']]);
  await assert.rejects(read(dir, { days: { from: '2024-06-01' } }), {
    code: 'unavailable',
    message: /^--from: no day file .* these days; there are days from 2023-01-01 to 2024-03-05$/,
  });
  // Days between others that are not selected are not missing.
  const some = (await read(dir, { symbols: ['A'], days: { date: ['2024-03-01', '2024-03-04'] } })).series;
  assert.deepEqual(
    some.map(({ states, present, missing }) => [states, present, missing]),
    [[`p${'oo'}m`, 1, 1]],
  );
});

test('a day with a conversion is present, with or without its CSV file', async (t) => {
  const dir = await tempDir(t);
  const [plain, converted, dropped, lost, byHand, twice] = createRecords({
    from: '2024-03-01',
    days: 'pppppp',
  });
  assert.ok(plain && converted && dropped && lost && byHand && twice);
  const hive = { ...twice, path: `date=2024-03-06/${twice.path}` };
  const records = [
    plain,
    { ...converted, conversions: [createConversion(converted)] },
    { ...dropped, conversions: [createConversion(dropped)], dropped: true as const },
    { ...lost, conversions: [createConversion(lost)], dropped: true as const },
    byHand,
    twice,
    hive,
  ];
  const outputs = [converted, dropped].map((record) => createConversion(record).path);
  await writeFolder(dir, records, [plain.path, converted.path, twice.path, hive.path, ...outputs]);
  await writeFile(join(dir, byHand.path.replace('.csv.gz', '.ndjson.zst')), 'x'.repeat(77));
  const [series] = (await read(dir)).series;
  assert.equal(series?.states, 'pppmpp');
  assert.equal(series?.gone, 1);
  assert.equal(series?.bytes, BYTES + (BYTES + 300) + 300 + 77 + 2 * BYTES);
  assert.equal(series?.rows, 5 * ROWS);
});

test('counts conversions of another version that are on disk', async (t) => {
  const dir = await tempDir(t);
  const [first, second, gone] = createRecords({ from: '2024-03-01', days: 'ppp' });
  assert.ok(first && second && gone);
  const older = (record: ManifestRecord): ManifestRecord => ({
    ...record,
    conversions: [{ ...createConversion(record), version: '0.1' }],
  });
  const records = [older(first), { ...second, conversions: [createConversion(second)] }, older(gone)];
  const outputs = [first, second].map((record) => createConversion(record).path);
  await writeFolder(dir, records, [first.path, second.path, gone.path, ...outputs]);
  const { series, totals } = await read(dir);
  assert.deepEqual([totals.outdated, series.map(({ outdated }) => outdated)], [1, [1]]);
});

test('sorts series and selects them by exchange, type and symbol', async (t) => {
  const dir = await tempDir(t);
  const from = '2024-03-01';
  await createFolder(dir, [
    { exchange: 'okex', symbol: 'BTC-USDT', from, days: 'p' },
    { exchange: 'deribit', symbol: 'ETH-PERPETUAL', from, days: 'p' },
    { exchange: 'deribit', symbol: 'BTC-PERPETUAL', from, days: 'p' },
    { exchange: 'deribit', symbol: 'BTC-PERPETUAL', dataType: 'quotes', from, days: 'p' },
  ]);
  const names = async (selection: DayFileSelection): Promise<string[]> =>
    (await read(dir, selection)).series.map((entry) => `${entry.exchange} ${entry.dataType} ${entry.symbol}`);
  const all = [
    'deribit quotes BTC-PERPETUAL',
    'deribit trades BTC-PERPETUAL',
    'deribit trades ETH-PERPETUAL',
    'okex trades BTC-USDT',
  ];
  assert.deepEqual(await names({}), all);
  assert.deepEqual(await names({ symbols: ['all'], dataTypes: ['all'] }), all);
  assert.deepEqual(await names({ symbols: ['btc*'], dataTypes: ['TRADES'] }), [all[1], all[3]]);
  assert.deepEqual(await names({ exchanges: ['okex', 'deribit'], symbols: ['ETH:perpetual', 'btc/usdt'] }), [
    all[2],
    all[3],
  ]);
  const wrong = async (selection: DayFileSelection, message: string): Promise<void> =>
    assert.rejects(read(dir, selection), { code: 'usage', message });
  await wrong(
    { exchanges: ['deribitt'] },
    '--exchange: there is no day file of exchange "deribitt"; did you mean deribit?',
  );
  await wrong(
    { dataTypes: ['trade'] },
    '--type: there is no day file of data type "trade"; did you mean trades?',
  );
  await wrong(
    { symbols: ['BTC*', 'SOL*'] },
    '--symbol: there is no day file of symbol "SOL*"; there are BTC-PERPETUAL, BTC-USDT, ETH-PERPETUAL',
  );
  await wrong(
    { exchanges: ['okex'], dataTypes: ['quotes'] },
    '--type quotes: no day file of --exchange okex has this data type; there is trades',
  );
});

test('reports a missing folder, a missing manifest and damaged lines', async (t) => {
  const dir = await tempDir(t);
  const nothing = { code: 'usage', message: /the manifest is empty; .* tickhaul verify --adopt$/ };
  await assert.rejects(read(join(dir, 'none')), nothing);
  await assert.rejects(read(dir), nothing);
  await createFolder(dir, [{ from: '2024-03-01', days: 'pp' }]);
  const line = { exchange: 'x', dataType: 'trades', symbol: 'A', date: '2024-03-01', path: '../out.csv.gz' };
  const rest = { bytes: 1, md5: '', sha256: '', md5Match: null, rows: 1, time: '', version: '' };
  await appendFile(join(dir, '.tickhaul/manifest.jsonl'), `{"bad\n${JSON.stringify({ ...line, ...rest })}\n`);
  const warnings: string[] = [];
  const { totals } = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: (message) => warnings.push(message),
    signal: new AbortController().signal,
  });
  assert.equal(totals.series, 1);
  assert.equal(warnings.length, 2);
});

test('days are missing if their folder was replaced by a file', async (t) => {
  const dir = await tempDir(t);
  const records = createRecords({ from: '2024-03-01', days: 'pp' }).map((record) => ({
    ...record,
    path: `sub/${record.path}`,
  }));
  await writeFolder(
    dir,
    records,
    records.map(({ path }) => path),
  );
  assert.equal((await read(dir)).totals.present, 2);
  await unlink(join(dir, records[0]?.path ?? ''));
  assert.deepEqual((await read(dir)).series[0]?.states, 'mp');
  await rm(join(dir, 'sub'), { recursive: true });
  await writeFile(join(dir, 'sub'), '');
  assert.equal((await read(dir)).totals.gone, 2);
});

test('today and later days are not missing, and a selection of such days is unavailable', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ symbol: 'A', from: '2024-03-01', days: 'p' }]);
  const today = msToDay(Date.now());
  const from = formatDay(addDays(today, -2));
  const { series } = await read(dir, { days: { from, to: formatDay(addDays(today, 40)) } });
  assert.deepEqual(
    series.map(({ states }) => states),
    ['mm'],
  );
  for (const days of [{ from: formatDay(today) }, { date: [formatDay(addDays(today, 3))] }])
    await assert.rejects(read(dir, { days }), { code: 'unavailable', exitCode: 7 });
});

const states = fc
  .array(fc.tuple(fc.constantFrom('p', 'e', 'm'), fc.integer({ min: 1, max: 400 })))
  .map((runs) => runs.map(([state, days]) => state.repeat(days)).join(''));

test('packed states are not longer and unpack to the same text', () => {
  assert.equal(packStates(`${'p'.repeat(300)}mmp`), 'p300m2p');
  fc.assert(
    fc.property(states, (text) => {
      assert.equal(unpackStates(packStates(text)), text);
      assert.ok(packStates(text).length <= text.length);
    }),
  );
});

test('runs are contiguous, and neighbours have different states', () => {
  fc.assert(
    fc.property(states, (text) => {
      let end = 0;
      for (const [i, { state, start, days }] of splitIntoSpans(text).entries()) {
        assert.equal(start, end);
        assert.equal(text.slice(start, start + days), state.repeat(days));
        assert.notEqual(splitIntoSpans(text)[i - 1]?.state, state);
        end = start + days;
      }
      assert.equal(end, text.length);
    }),
  );
});
