import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Finished, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { compilePython, noPython } from '../../helpers/python.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn } from '../../helpers/temp.js';
import { downloadDays, resultsOf } from './exporting.js';

const NAME = 'deribit_2024-03-01_BTC-PERPETUAL';

function scriptsOf(finished: Finished): unknown {
  assert.equal(finished.exitCode, 0, finished.stderr);
  return jsonLines(finished).at(-1)?.['scripts'];
}

test('arrays have their sizes and fees, and a script that is never written over a changed one', async (t) => {
  const { dir, env } = await downloadDays(t, 1);
  const out = join(dir, 'n p');
  const run = (...words: readonly string[]) =>
    runHere(['export', 'hftbacktest', dir, '-o', out, ...words], { env });
  const script = join(out, 'run_hftbacktest.py');
  // A file that is in the way of sizes and fees was another tool's.
  await mkdir(out);
  await writeFile(join(out, `${NAME}.json`), '{}');
  const first = await run('--json');
  assert.match(first.stderr, /warning .*\.json: replaced a file that the export log does not have\n/);
  assert.deepEqual(scriptsOf(first), [{ path: script, command: `python3 '${script}'` }]);
  const names = [`${NAME}.json`, `${NAME}.npz`, 'run_hftbacktest.py'];
  assert.deepEqual(await namesIn(out), names);
  const facts = JSON.parse(await readFile(join(out, `${NAME}.json`), 'utf8'));
  assert.deepEqual([facts.asset_type, facts.maker_fee, facts.taker_fee], ['inverse', -0.0001, 0.0005]);
  const text = await readFile(script, 'utf8');
  assert.ok(text.includes(`TICK_SIZE, LOT_SIZE = ${facts.tick_size}, ${facts.lot_size}\n`), text);
  if (noPython('py_compile')) t.diagnostic('the script is not compiled: there is no python3');
  else {
    compilePython(script);
    await rm(join(out, '__pycache__'), { recursive: true });
  }

  // Without a key and a network, by the stored metadata; nothing is written again.
  const { TICKHAUL_API_KEY: _, ...noKey } = env;
  const log = join(out, '.tickhaul', 'exports.jsonl');
  const recorded = await readFile(log, 'utf8');
  const words = ['export', 'hftbacktest', dir, '-o', out, '--offline'];
  const again = await succeeded(runHere(words, { env: noKey }));
  assert.match(again.stderr, /\nrun it: python3 '.*run_hftbacktest\.py'\n$/);
  assert.doesNotMatch(again.stderr, /warning/);
  assert.equal(await readFile(log, 'utf8'), recorded);

  // Sizes and fees are verified like arrays; a changed script is no damage, and is kept.
  await appendFile(script, 'print("mine")\n');
  const verify = (...flags: readonly string[]) => runHere(['verify', out, '--json', ...flags], { env });
  assert.deepEqual(resultsOf(await verify()), [[`verified ${NAME}.json`, `verified ${NAME}.npz`], 0]);
  await writeFile(
    join(out, `${NAME}.json`),
    JSON.stringify(facts, null, 2).replace('inverse', 'INVERSE').concat('\n'),
  );
  assert.deepEqual(resultsOf(await verify('--repair')), [
    [`corrupt ${NAME}.json`, `verified ${NAME}.npz`],
    6,
  ]);
  const kept = await succeeded(run());
  assert.match(
    kept.stderr,
    /run_hftbacktest\.py: keeping this file, which is not as an export wrote it; delete it/,
  );
  assert.deepEqual(JSON.parse(await readFile(join(out, `${NAME}.json`), 'utf8')), facts);
  await run('--existing', 'overwrite');
  assert.equal(await readFile(script, 'utf8'), `${text}print("mine")\n`);
  assert.deepEqual(resultsOf(await verify()), [[`verified ${NAME}.json`, `verified ${NAME}.npz`], 0]);
  await rm(script);
  await run();
  assert.equal(await readFile(script, 'utf8'), text);
});

test('without metadata, arrays have neither sizes nor fees, and no request is sent', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
  const series = ['deribit', '-t', 'trades,incremental_book_L2', '-s', 'BTC-PERPETUAL'];
  await runHere(['download', ...series, '--date', '2024-03-01'], { env });
  const out = join(dir, 'npz');
  const asked = service.requests.length;
  const { TICKHAUL_API_KEY: _, ...noKey } = env;
  const { stderr } = await succeeded(runHere(['export', 'hftbacktest', dir, '-o', out], { env: noKey }));
  assert.match(stderr, /warning the tick sizes, lot sizes and fees of deribit BTC-PERPETUAL are unknown/);
  assert.deepEqual(await namesIn(out), [`${NAME}.npz`, 'run_hftbacktest.py']);
  assert.equal(service.requests.length, asked);
});

/** Downloads a day of a symbol. */
async function downloadDay(t: TestContext, exchange: string, symbol: string, types: string) {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000 });
  const words = ['download', exchange, '-t', types, '-s', symbol, '--date', '2024-03-01'];
  await succeeded(runHere(words, { env }));
  return { dir, env };
}

test('a catalog has a script for the version that reads it', async (t) => {
  const { dir, env } = await downloadDay(t, 'binance-futures', 'BTCUSDT', 'quotes,incremental_book_L2');
  const run = (out: string, ...flags: readonly string[]) =>
    runHere(['export', 'nautilus', dir, '-o', out, '--json', ...flags], { env });
  const out = join(dir, 'catalog');
  const script = join(out, 'run_nautilus.py');
  assert.deepEqual(scriptsOf(await run(out)), [{ path: script, command: `python3 ${script}` }]);
  const text = await readFile(script, 'utf8');
  assert.match(text, /INSTRUMENT_ID = "BTCUSDT-PERP\.BINANCE"\n/);
  assert.match(text, /name="BINANCE",\n.*\n.*"MARGIN",\n.*\["1000000 USDT"\],\n/);
  assert.match(text, /data_cls=QuoteTick/);
  if (!noPython('py_compile')) compilePython(script);
  const rust = join(dir, 'rust');
  await run(rust, '--catalog', 'rust');
  assert.match(await readFile(join(rust, 'run_nautilus.py'), 'utf8'), /data_type="QuoteTick"/);
  // A file that was there before is somebody's.
  const other = join(dir, 'other');
  await run(other);
  await writeFile(join(other, 'run_nautilus.py'), 'mine');
  await rm(join(other, '.tickhaul'), { recursive: true });
  await run(other);
  assert.equal(await readFile(join(other, 'run_nautilus.py'), 'utf8'), 'mine');
});

test('freqtrade gets a configuration and a strategy, and the command names all folders', async (t) => {
  const { dir, env } = await downloadDay(t, 'binance-futures', 'BTCUSDT', 'trades');
  const out = join(dir, 'user_data', 'data', 'binance');
  const words = ['export', 'freqtrade', join(dir), '-o', out, '--timeframe', '5m', '--json'];
  const path = join(out, 'config.json');
  const command = `freqtrade backtesting --config ${path} --userdir ${join(dir, 'user_data')} --datadir ${out} --strategy Demo --strategy-path ${out} --timerange 20240301-20240302 --cache none`;
  assert.deepEqual(scriptsOf(await runHere(words, { env })), [{ path, command }]);
  assert.deepEqual(await namesIn(out), ['Demo.py', 'config.json', 'futures']);
  const { exchange, fee, stake_currency } = JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual(
    [exchange.name, exchange.pair_whitelist, stake_currency, fee],
    ['binance', ['BTC/USDT:USDT'], 'USDT', 0.0005],
  );
  if (!noPython('py_compile')) compilePython(join(out, 'Demo.py'));
});
