import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { envOf, jsonLines, succeeded } from '../../helpers/cli.js';
import { type Front, fronted } from '../../helpers/gate.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { tempDir } from '../../helpers/temp.js';

const DOWNLOAD = ['download', ...tradesOf('2024-03-01', '2024-03-10')];

/** A folder of trades, in which two days came without rows: one of the last seven that are exported. */
async function setUp(t: TestContext) {
  const front = await fronted(t, await sandbox(t));
  front.replace = (_, url) => (/2024\/03\/0[27]\//.test(url) ? gzipSync('') : undefined);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(front.service, dir), XDG_CACHE_HOME: `${dir}.cache` };
  const run = async (...words: readonly string[]) => {
    const finished = await succeeded(runHere(words, { env }));
    return finished;
  };
  /** The days that a command requests. */
  const requestedBy = async (...words: readonly string[]): Promise<readonly string[]> => {
    const before = front.requests.length;
    await run(...words);
    return daysSince(front, before);
  };
  return { front, dir, env, run, requestedBy };
}

const daysSince = ({ requests }: Front, at: number): readonly string[] =>
  requests.slice(at).map((url) => /\/(\d\d)\/BTCUSDT/.exec(url)?.[1] ?? url);

test('a run tells the days without rows, and coverage shows them', async (t) => {
  const { run } = await setUp(t);
  assert.match((await run(...DOWNLOAD)).stderr, /9 downloaded .*, 2 days without rows in /);
  assert.equal(jsonLines(await run('verify', '--json')).at(-1)?.['empty'], 2);
  const { totals } = JSON.parse((await run('coverage', '--json')).stdout) as { totals: object };
  assert.deepEqual({ ...totals }, { ...totals, present: 7, empty: 2, missing: 0 });
  assert.match((await run('coverage')).stdout, /○ empty/);
});

test('days without rows are requested again by --existing verify, and the latest by sync', async (t) => {
  const { front, dir, run, requestedBy } = await setUp(t);
  await run(...DOWNLOAD);
  assert.deepEqual(await requestedBy(...DOWNLOAD), []);
  assert.deepEqual(await requestedBy(...DOWNLOAD, '--existing', 'verify'), ['02', '07']);
  const config = `${dir}.yaml`;
  await writeFile(
    config,
    'jobs: [{name: btc, exchange: binance-futures, types: trades, symbols: BTCUSDT, from: 2024-03-01}]\n',
  );
  const sync = ['sync', '--config', config, '--dir', dir];
  assert.deepEqual(await requestedBy(...sync), ['07']);
  assert.match((await run(...sync, '--dry-run')).stdout, /download {3}1 day .*2024-03-07/);
  front.replace = undefined;
  assert.deepEqual(await requestedBy(...sync), ['07']);
  assert.deepEqual(await requestedBy(...sync), [], 'it has rows by now');
  assert.deepEqual(await requestedBy(...DOWNLOAD, '--existing', 'verify'), ['02']);
  assert.equal(jsonLines(await run('verify', '--json')).at(-1)?.['empty'], undefined);
});

test('without access to a day, its empty file is kept', async (t) => {
  const { front, run, env } = await setUp(t);
  await run(...DOWNLOAD);
  const before = front.requests.length;
  const words = [...DOWNLOAD, '--existing', 'verify'];
  const { exitCode, stderr } = await runHere(words, { env: { ...env, TICKHAUL_API_KEY: '' } });
  assert.deepEqual([exitCode, daysSince(front, before)], [0, []], stderr);
});

test('an audit marks days without rows, and degrades or fails by them only on request', async (t) => {
  const { run, dir } = await setUp(t);
  await run(...DOWNLOAD);
  const audit = async (...flags: readonly string[]) => {
    const lines = jsonLines(await run('audit', '--json', ...flags));
    return lines
      .filter(({ event }) => event === 'day')
      .map(({ date, condition, checks, reasons }) => {
        const { no_rows } = checks as Record<string, { count: number }>;
        return `${String(date).slice(8)} ${condition} ${no_rows?.count} ${String(reasons)}`;
      })
      .filter((line) => !line.endsWith(' available 0 '));
  };
  assert.deepEqual(await audit(), ['02 available 1 ', '07 available 1 ']);
  assert.deepEqual(await audit(), ['02 available 1 ', '07 available 1 '], 'from its records');
  assert.deepEqual(await audit('--from', '2024-03-02', '--to', '2024-03-03'), ['02 available 1 ']);
  assert.deepEqual(await audit(join(dir, 'binance-futures_trades_2024-03-02_BTCUSDT.csv.gz')), [
    '02 available 1 ',
  ]);
  const degraded = ['02 degraded 1 no_rows', '07 degraded 1 no_rows'];
  assert.deepEqual(await audit('--degrade', 'no_rows'), degraded);
  assert.deepEqual(await audit('--degrade', 'no_rows,gap', '--recheck', '-j', '3'), degraded);
  const env = { TICKHAUL_DIR: dir };
  assert.equal((await runHere(['audit', '--offline', '--fail-on', 'no_rows'], { env })).exitCode, 10);
  const text = (await runHere(['audit', '--offline'], { env })).stdout;
  assert.match(text, /■○■■■■○■■/);
  assert.match(text, /○ empty \(no rows\)/);
});

test('a series without any row has no failed check', async (t) => {
  const { front, run } = await setUp(t);
  front.replace = () => gzipSync('');
  await run(...DOWNLOAD);
  const lines = jsonLines(await run('audit', '--json', '--fail-on', 'no_rows'));
  assert.equal(lines.filter(({ condition }) => condition === 'available').length, 9);
});
