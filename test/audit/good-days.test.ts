import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type DayVerdict, describeFailedDay, GoodDaysTally } from '../../src/audit/audit-tally.js';
import { TickhaulError as CodedError } from '../../src/base/errors.js';
import { DAY_CONDITIONS } from '../../src/events/audited-day.js';
import { audit, TickhaulError } from '../../src/index.js';
import { type Finished, failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { createDayCsv, createRecord, startRecordHost, withDuplicate, writeDay } from './auditing.js';

const TYPES = ['trades', 'liquidations', 'derivative_ticker'] as const;
const toNames = (dataType: string) => ({ exchange: 'deribit', dataType, symbol: 'BTC' });
const toDate = (day: number): string => `2024-03-0${day}`;

const verdict: fc.Arbitrary<DayVerdict> = fc
  .record({
    dataType: fc.constantFrom(...TYPES),
    day: fc.integer({ min: 1, max: 5 }),
    // Mostly available, so that some days are good.
    condition: fc.oneof(
      { weight: 8, arbitrary: fc.constant('available' as const) },
      fc.constantFrom(...DAY_CONDITIONS),
    ),
  })
  .map(({ dataType, day, condition }) => ({
    ...toNames(dataType),
    date: toDate(day),
    condition,
    reasons: condition === 'degraded' ? ['gap'] : [],
  }));

test('a day is good if and only if all verdicts of each series on it are available', () => {
  fc.assert(
    fc.property(
      fc.array(verdict, { maxLength: 40 }),
      fc.subarray([...TYPES]),
      fc.array(fc.constantFrom(...TYPES), { maxLength: 2 }),
      (verdicts, only, selected) => {
        const seen = verdicts.filter(({ dataType }) => only.some((type) => type === dataType));
        const tally = new GoodDaysTally(selected.map(toNames));
        for (const each of seen) tally.add(each);
        const { series, days, otherDays } = tally.result();
        const types = TYPES.filter((type) =>
          [...selected, ...seen.map(({ dataType }) => dataType)].some((name) => name === type),
        );
        const isAvailable = (type: string, date: string): boolean => {
          const of = seen.filter((each) => each.dataType === type && each.date === date);
          return of.length > 0 && of.every(({ condition }) => condition === 'available');
        };
        const dates = [1, 2, 3, 4, 5].map(toDate).filter((date) => seen.some((each) => each.date === date));
        assert.deepEqual(series.map(({ dataType }) => dataType).sort(), [...types].sort());
        assert.deepEqual(
          days,
          dates.filter((date) => types.every((type) => isAvailable(type, date))),
        );
        assert.deepEqual([...days, ...otherDays.map(({ date }) => date)].sort(), dates);
        for (const { date, series: failed } of otherDays)
          assert.deepEqual(
            failed.map(({ dataType }) => dataType).sort(),
            types.filter((type) => !isAvailable(type, date)).sort(),
          );
      },
    ),
  );
});

test('the text about a day names two series, and counts the others', () => {
  const failed = (dataType: string, condition: 'degraded' | 'missing', ...reasons: string[]) => ({
    ...toNames(dataType),
    condition,
    reasons,
  });
  const day = { date: toDate(1), series: [failed('trades', 'degraded', 'gap', 'incident')] };
  assert.equal(describeFailedDay(day), 'deribit trades BTC degraded (gap, incident)');
  day.series.push(failed('quotes', 'missing'), failed('a', 'missing'), failed('b', 'missing'));
  assert.equal(
    describeFailedDay(day),
    'deribit trades BTC degraded (gap, incident), deribit quotes BTC missing, and 2 other series',
  );
});

/** Three series and five days: the second is degraded, the third missing, and the fourth corrupt, each in one series. */
async function createFolder(
  t: TestContext,
  corrupt = 4,
): Promise<{ readonly dir: string; readonly env: Record<string, string> }> {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord({ dataTypes: TYPES }));
  for (const dataType of TYPES)
    for (const day of [1, 2, 3, 4, 5]) {
      if (dataType === 'liquidations' && day === 3) continue;
      const csv = createDayCsv(day, { dataType });
      const isDegraded = dataType === 'trades' && day === 2;
      const isCorrupt = dataType === 'derivative_ticker' && day === corrupt;
      const content = isCorrupt ? Buffer.from('no gzip') : isDegraded ? withDuplicate(csv) : csv;
      await writeDay(dir, day, content, dataType);
    }
  return { dir, env: host.env(dir) };
}

const OTHER_DAYS = [
  {
    date: toDate(2),
    series: [{ ...toNames('trades'), condition: 'degraded', reasons: ['duplicate_row', 'duplicate_id'] }],
  },
  { date: toDate(3), series: [{ ...toNames('liquidations'), condition: 'missing', reasons: [] }] },
  { date: toDate(4), series: [{ ...toNames('derivative_ticker'), condition: 'corrupt', reasons: [] }] },
];

test('audit --good prints only days that are available for all series, and exits with 6 for a corrupt file', async (t) => {
  const { env } = await createFolder(t);
  const text = await runHere(['audit', '--good'], { env });
  assert.equal(text.stdout, '2024-03-01\n2024-03-05\n');
  assert.match(text.stderr, /^2 of 5 days are available for all 3 series$/m);
  assert.match(text.stderr, /^corrupt .*derivative_ticker_2024-03-04/m);
  assert.equal(text.exitCode, 6);
  const quiet = await runHere(['audit', '--good', '-q'], { env });
  assert.deepEqual([quiet.stdout, quiet.exitCode], [text.stdout, 6]);
  const json = await runHere(['audit', '--good', '--json'], { env });
  assert.equal(json.exitCode, 6);
  assert.deepEqual(JSON.parse(json.stdout), {
    series: [...TYPES].sort().map(toNames),
    days: [toDate(1), toDate(5)],
    otherDays: OTHER_DAYS,
  });
  const some = await runHere(['audit', '--good', '-t', 'trades,liquidations'], { env });
  assert.deepEqual([some.stdout, some.exitCode], ['2024-03-01\n2024-03-04\n2024-03-05\n', 0]);
});

test('audit --good looks at the days from --from to --to, and at series without a file there', async (t) => {
  const { dir, env } = await createFolder(t, 0);
  const days = async (...args: string[]): Promise<string> => {
    const { stdout, exitCode } = await runHere(['audit', '--good', ...args], { env });
    return `${exitCode}: ${stdout.trim().split('\n').join(' ')}`;
  };
  assert.equal(await days(), '0: 2024-03-01 2024-03-04 2024-03-05');
  assert.equal(await days('--from', '2024-03-02', '--to', '2024-03-05'), '0: 2024-03-04');
  assert.equal(await days('--from', '2024-03-02', '--to', '2024-03-04'), '7: ');
  assert.equal(await days('--fail-on', 'missing'), '10: 2024-03-01 2024-03-04 2024-03-05');
  await writeDay(dir, 8, createDayCsv(8, { dataType: 'quotes' }), 'quotes');
  assert.equal(await days('--to', '2024-03-06'), '7: ', 'quotes are missing on all days');
  assert.equal(await days('--to', '2024-03-06', '--offline'), '7: ', 'also without a record');
});

test('audit --good refuses what would give other days, and says why there is none', async (t) => {
  const { dir, env } = await createFolder(t, 0);
  const { exitCode, stderr } = await runHere(['audit', '--good', '--shard', '0/2'], { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /--good: the files of a day are in several shards/);
  const page = await runHere(['audit', '--good', '--html', '-'], { env });
  assert.match(page.stderr, /--html - and --good both print to stdout/);
  const none = await runHere(['audit', '--good', '--from', '2024-03-02', '--to', '2024-03-04'], { env });
  assert.match(
    none.stderr.replace(/\s+/g, ' '),
    /good days: none of 2 days is available for all 3 series \(2024-03-02: deribit trades BTC degraded/,
  );
  const stopped = new AbortController();
  stopped.abort(new CodedError('interrupted', 'interrupted'));
  const interrupted = await runHere(['audit', '--good', '--json', dir], { env, signal: stopped.signal });
  assert.equal(interrupted.exitCode, 130);
  assert.equal((JSON.parse(interrupted.stdout) as { event: string }).event, 'summary');
});

test('the library has the good days in the summary', async (t) => {
  const { dir } = await createFolder(t);
  const failed = await audit({ paths: dir, dir, good: true, offline: true }).catch((error: unknown) => error);
  assert.ok(failed instanceof TickhaulError);
  assert.equal(failed.exitCode, 6);
  const { goodDays } = failed.summary as { goodDays?: { days: readonly string[] } };
  assert.deepEqual(goodDays?.days, [toDate(1), toDate(5)]);
});

/** Names of outputs in a folder, without those of state. */
async function outputsIn(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => /\.(?:parquet|npz|feather)$/.test(name)).sort();
}

test('convert --good uses the days that the last audit judged available for all series', async (t) => {
  const { dir, env } = await createFolder(t);
  const convert = (out: string, ...args: string[]): Promise<Finished> =>
    runHere(['convert', dir, '-o', join(dir, out), '--good', ...args], { env });
  const unrecorded = await convert('a');
  assert.equal(unrecorded.exitCode, 2);
  assert.match(
    unrecorded.stderr.replace(/\s+/g, ' '),
    /--good: 14 of 14 files without a record of an audit, such as .*; run tickhaul audit first/,
  );
  assert.equal((await runHere(['audit'], { env })).exitCode, 6);
  const good = await succeeded(convert('b'));
  const names = [1, 5].flatMap((day) => TYPES.map((type) => `deribit_${type}_${toDate(day)}_BTC.parquet`));
  assert.deepEqual(await outputsIn(join(dir, 'b')), names.sort());
  assert.match(good.stderr, /^warning skipping 2024-03-02: deribit trades BTC degraded \(duplicate_row, /m);
  assert.match(good.stderr, /^warning skipping 2024-03-03: deribit liquidations BTC missing$/m);
  assert.match(good.stderr, /^warning skipping 2024-03-04: deribit derivative_ticker BTC corrupt$/m);
  for (const shard of ['0/3', '1/3', '2/3'])
    assert.equal((await convert('shards', '--shard', shard)).exitCode, 0);
  assert.deepEqual(await outputsIn(join(dir, 'shards')), names, 'each shard knows the files of the others');
  const skipped = await runHere(['convert', dir, '-o', join(dir, 'f'), '--skip-degraded'], { env });
  assert.equal(skipped.exitCode, 6, 'it looks at each file alone, and the corrupt one still fails');
  const elsewhere = { ...env, TICKHAUL_DIR: join(dir, 'elsewhere') };
  const outside = await runHere(['convert', dir, '-o', join(dir, 'e'), '--good'], { env: elsewhere });
  assert.equal(outside.exitCode, 2);
  assert.match(outside.stderr.replace(/\s+/g, ' '), /is not in a download folder, so its audits are not/);
  await succeeded(convert('g', '--days', [1, 3].map(toDate).join(), '--symbol', 'BTC'));
  const only = await convert('h', '--days', toDate(3));
  assert.equal(only.exitCode, 7, 'liquidations has no file of this day, but of others');
  const degraded = await convert('c', '--skip-degraded');
  assert.equal(degraded.exitCode, 0);
  assert.deepEqual(await outputsIn(join(dir, 'c')), names);
  await utimes(join(dir, `deribit_trades_${toDate(1)}_BTC.csv.gz`), new Date(), new Date(1_000_000));
  const changed = await convert('d');
  assert.equal(changed.exitCode, 2);
  assert.match(changed.stderr.replace(/\s+/g, ' '), /--good: 1 of 14 files without a record/);
});

test('the list of audit --good selects the days of other commands, and --days those of audit --good', async (t) => {
  const { dir, env } = await createFolder(t, 0);
  const list = join(dir, 'good.txt');
  const { stdout } = await runHere(['audit', '--good'], { env });
  await writeFile(list, stdout);
  await succeeded(runHere(['convert', dir, '-o', join(dir, 'out'), '--days', `@${list}`], { env }));
  const names = [1, 4, 5].flatMap((day) => TYPES.map((type) => `deribit_${type}_${toDate(day)}_BTC.parquet`));
  assert.deepEqual(await outputsIn(join(dir, 'out')), names.sort());
  const some = await runHere(['audit', '--good', '--days', `${toDate(1)},${toDate(2)}`], { env });
  assert.equal(some.stdout, '2024-03-01\n');
  assert.match(some.stderr, /^1 of 2 days are available for all 3 series$/m);
});

test('export --good counts the data types that the target reads', async (t) => {
  const { dir, env } = await createFolder(t);
  await runHere(['audit'], { env });
  const words = ['export', 'nautilus', dir, '--good', '--price-precision', '2', '--size-precision', '2'];
  const exported = await succeeded(runHere([...words, '--offline', '-o', join(dir, 'catalog')], { env }));
  const data = (await outputsIn(join(dir, 'catalog'))).filter((name) => name.includes('trade_tick'));
  assert.equal(data.length, 4, 'all days but the degraded one');
  assert.doesNotMatch(exported.stderr, /2024-03-0[34]/);
  await failedWith(
    runHere([...words, '--from', toDate(2), '--to', toDate(3), '-o', join(dir, 'x')], {
      env,
    }),
    7,
    /good days: none of 1 day is available/,
  );
});

test('replay --good leaves out the other days, and downloads nothing', async (t) => {
  const { env } = await createFolder(t);
  const replayDays = async (types: string, ...args: string[]) => {
    const words = ['replay', 'deribit:BTC', '-t', types, '--offline', '--good'];
    const { exitCode, stdout, stderr } = await runHere([...words, ...args], { env });
    const days = stdout.matchAll(/"localTimestamp":"(\d{4}-\d{2}-\d{2})T/g);
    return { exitCode, stderr, days: [...new Set([...days].map(([, day]) => day))] };
  };
  const replay = (types: string, ...args: string[]) =>
    replayDays(types, '--from', toDate(1), '--to', toDate(6), ...args);
  assert.equal((await replay('trade')).exitCode, 2, 'nothing was audited');
  await runHere(['audit'], { env });
  const both = await succeeded(replay('trade,liquidation'));
  assert.deepEqual(both.days, [1, 4, 5].map(toDate));
  assert.match(both.stderr, /^warning skipping 2024-03-03: deribit liquidations BTC missing$/m);
  assert.deepEqual((await replay('derivative_ticker')).days, [1, 2, 3, 5].map(toDate));
  const parts = await succeeded(replayDays('trade,liquidation', '--days', [1, 2, 3, 5].map(toDate).join()));
  assert.deepEqual(parts.days, [1, 5].map(toDate), 'the days are two periods');
  const { exitCode, stderr } = await replayDays('trade,liquidation', '--days', [2, 3].map(toDate).join());
  assert.equal(exitCode, 7, stderr);
  assert.match(stderr, /good days: none of 2 days is available for all 2 series/);
  await failedWith(replay('trade', '--source', 'feeds'), 2, /--good is for day files/);
});
