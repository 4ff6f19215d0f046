import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { envOf, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';

const TRADES = '{name: a, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 2d';
const QUOTES = '{name: b, exchange: binance-futures, types: quotes, symbols: BTCUSDT, last: 1d';

test('a job with audit audits what it downloaded, and the summary counts conditions', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const data = join(dir, 'data');
  const config = join(dir, 'tickhaul.yaml');
  const env = envOf(service, data);
  const sync = async (text: string, ...args: string[]) => {
    await writeFile(config, text);
    const finished = await succeeded(runHere(['sync', '--json', '--config', config, ...args], { env }));
    const lines = jsonLines(finished);
    const days = lines.filter(({ event }) => event === 'day');
    return { days: days.map((day) => `${day['dataType']} ${day['condition']}`), summary: lines.at(-1) };
  };
  const first = await sync(`jobs:\n  - ${TRADES}, audit: true}\n  - ${QUOTES}}\n`);
  assert.deepEqual(first.days, ['trades available', 'trades available']);
  assert.deepEqual([first.summary?.['downloaded'], first.summary?.['available']], [3, 2]);
  const log = (await readFile(join(data, '.tickhaul/audit.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.equal(log.length, 2);
  const again = await sync(`audit: true\njobs:\n  - ${TRADES}}\n  - ${QUOTES}}\n`);
  assert.deepEqual(again.days, [], 'nothing was downloaded');
  assert.equal(again.summary?.['available'], undefined);
  const flag = await sync(`jobs:\n  - ${TRADES}, existing: overwrite}\n`, '--audit');
  assert.equal(flag.days.length, 2);
  const off = await sync(`audit: true\njobs:\n  - ${TRADES}, existing: overwrite, audit: false}\n`);
  assert.deepEqual(off.days, []);
});

test('files of which only conversions are kept are audited before', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const config = join(dir, 'tickhaul.yaml');
  const env = envOf(service, join(dir, 'data'));
  await writeFile(config, `audit: true\nconvert: parquet\nnoKeepCsv: true\njobs:\n  - ${TRADES}}\n`);
  const finished = await succeeded(runHere(['sync', '--config', config, '--json'], { env }));
  assert.equal(jsonLines(finished).at(-1)?.['available'], 2);
});

test('an audited sync warns about degraded days', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { rows: 2000, faults: { 'duplicate-trades': 1 } });
  const config = join(dir, 'tickhaul.yaml');
  const env = envOf(service, join(dir, 'data'));
  await writeFile(config, `audit: true\njobs:\n  - ${TRADES}}\n`);
  const finished = await runHere(['sync', '--config', config, '--json'], { env });
  const { exitCode, stderr } = finished;
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr.match(/warning .*_trades_.*: degraded \(duplicate_row, duplicate_id\)/g)?.length, 2);
  const events = jsonLines(finished).map(({ event }) => event);
  assert.equal(events.filter((event) => event === 'plan').length, 1);
});
