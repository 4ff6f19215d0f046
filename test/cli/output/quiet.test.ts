import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../helpers/in-process.js';
import { downloadDays, SERIES } from '../export/exporting.js';

test('--quiet prints no warnings, with --json too', async (t) => {
  const { dir, env } = await downloadDays(t, 1);
  const config = join(dir, 'both', 'tickhaul');
  await mkdir(config, { recursive: true });
  for (const name of ['tickhaul.yaml', 'tickhaul.json']) {
    const job =
      '{"name": "a", "exchange": "deribit", "types": "trades", "symbols": "BTC-PERPETUAL", "last": 1}';
    await writeFile(join(config, name), `{"jobs": [${job}]}`);
  }
  const bars = ['--convert', 'parquet', '--as', 'trade_bar_1m'];
  const day = ['--date', '2024-03-01'];
  const twoFiles = { ...env, XDG_CONFIG_HOME: join(dir, 'both') };
  const commands = [
    ['export', 'hftbacktest', dir, '-t', 'trades', '-o', join(dir, 'npz')],
    ['download', ...SERIES, ...day, '-t', 'quotes', ...bars],
    ['plan', ...SERIES, ...day, '-t', 'quotes', ...bars],
    ['symbols', 'deribit', 'ZZZ*'],
    ['lock', '-o', join(dir, 'lock')],
    ['verify', dir],
    ['coverage'],
    ['views', dir, '-o', join(dir, 'views.sql')],
    ['sync', '--dry-run'],
  ];
  for (const words of commands) {
    for (const json of [[], ['--json']]) {
      const run = (...flags: string[]) => runHere([...words, ...json, ...flags], { env: twoFiles });
      const usual = await run();
      assert.match(usual.stderr, /^warning /m, words.join(' '));
      const quiet = await run('-q', '--quiet');
      assert.deepEqual([quiet.exitCode, quiet.stderr], [usual.exitCode, ''], words.join(' '));
      if (json.length > 0) assert.notEqual(quiet.stdout, '', words.join(' '));
    }
  }
});
