import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { BIN, envOf, succeeded } from './helpers/cli.js';
import { dayFilesIn, machine, projectText, recipe, shell } from './helpers/machine.js';
import { compilePython, noPython } from './helpers/python.js';
import { sandboxAndFolder } from './helpers/sandbox.js';
import { nightlyTest } from './helpers/services.js';
import { analyzed, readUnit } from './helpers/systemd.js';
import { tempDir } from './helpers/temp.js';

test('the crontab line', async (t) => {
  const { dir, here } = await machine(t);
  const line =
    here(await recipe('crontab'))
      .split('\n')
      .find((text) => /^\d/.test(text)) ?? '';
  const command = /^(?:\S+ ){5}(.*)$/.exec(line)?.[1] ?? '';
  for (let night = 0; night < 2; night++) {
    const { exitCode, stdout, stderr } = await shell(command, { XDG_CACHE_HOME: dir });
    assert.deepEqual([exitCode, stdout, stderr], [0, '', ''], 'no mail');
  }
  assert.equal(await dayFilesIn(join(dir, 'data')), 4 + 2);
});

nightlyTest('the systemd service and its timer', async (t) => {
  const { dir, here } = await machine(t);
  const unit = here(await recipe('tickhaul.service'));
  const timer = await recipe('tickhaul.timer');
  await writeFile(join(dir, 'tickhaul.service'), unit);
  await writeFile(join(dir, 'tickhaul.timer'), timer);
  const said = analyzed(join(dir, 'tickhaul.service'), join(dir, 'tickhaul.timer'));
  if (said !== undefined) assert.equal(said, '');
  const { user, command, env } = readUnit(unit, dir);
  assert.equal(user, 'tickhaul');
  await succeeded(shell(command, env));
  assert.equal(await dayFilesIn(join(dir, 'state', 'tickhaul')), 4 + 2);
});

nightlyTest('a month of bars, and the query over them', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { rows: 40 });
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir);
  const command = (await recipe('bars.sh')).replace('exec tickhaul', `exec '${process.execPath}' '${BIN}'`);
  await succeeded(shell(command, env, dir));
  const days = await readdir(join(dir, 'bars'));
  assert.equal(days.filter((name) => /_trade_bar_1m_.*_PERPETUALS\.parquet$/.test(name)).length, 9);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const query = (await recipe('bars.sql')).replace("'bars/", `'${dir}/bars/`);
  const rows = (await connection.runAndReadAll(query)).getRowObjects();
  connection.closeSync();
  instance.closeSync();
  assert.equal(rows.length, 10);
  for (const { symbol, turnover, first, last, percent } of rows) {
    assert.match(String(symbol), /USDT$/);
    assert.ok(Number(turnover) > 0 && Number(first) > 0 && Number(last) > 0);
    assert.ok(Math.abs(Number(percent)) < 30);
  }
});

test('docs/reference/computed-types.md shows the recipes as they stand in their files', async () => {
  const page = await projectText('docs/reference/computed-types.md');
  for (const [name, shown] of [
    ['bars.sh', /^exec (tickhaul .*)$/ms],
    ['bars.sql', /^(SELECT.*)$/ms],
    ['hours.py', /^(import .*)\nprint/ms],
    ['plot.py', /^(.*)$/s],
  ] as const) {
    const [, text = ''] = shown.exec(await recipe(name)) ?? [];
    assert.ok(text.length > 100, name);
    assert.ok(page.includes(`\n${text.trimEnd()}\n\`\`\``), name);
  }
});

test('recipes of backtesters are those that exports write, and parse', async (t) => {
  await promisify(execFile)(process.execPath, ['scripts/recipes.js', '--check'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  JSON.parse(await recipe('freqtrade-config.json'));
  const missing = noPython('py_compile');
  if (missing) return t.diagnostic(`the scripts are not compiled: ${missing}`);
  const dir = await tempDir(t);
  for (const name of [
    'run_hftbacktest.py',
    'run_nautilus.py',
    'run_nautilus_rust.py',
    'freqtrade-strategy.py',
  ])
    await writeFile(join(dir, name), await recipe(name));
  compilePython(...(await readdir(dir)).map((name) => join(dir, name)));
});
