import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SCRIPTS } from '../../../src/cli/commands/completion.js';
import { BIN } from '../../helpers/cli.js';
import { knownEnv } from './known.js';

/** Why a test cannot run on this machine, or false. */
function lacks(shell: string): string | false {
  return spawnSync(shell, ['--version']).error ? `needs ${shell}` : false;
}

/** Runs a script with the built command in PATH. @returns lines of stdout. */
async function run(
  t: TestContext,
  shell: string,
  script: string,
  ...args: string[]
): Promise<readonly string[]> {
  const env = await knownEnv(t);
  const bin = join(env['HOME'] ?? '', 'bin');
  await mkdir(bin);
  await symlink(BIN, join(bin, 'tickhaul'));
  const flags: Readonly<Record<string, readonly string[]>> = {
    bash: ['--norc', '-c', script, 'bash'],
    zsh: ['-f', '-c', script, 'zsh'],
    fish: ['--no-config', '-c', script],
  };
  const { stdout, stderr } = spawnSync(shell, [...(flags[shell] ?? []), ...args], {
    env: { ...env, PATH: `${bin}:${process.env['PATH']}`, SCRIPT: SCRIPTS[shell], TERM: 'dumb' },
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes the part that it regards as the word at the cursor', {
  skip: lacks('bash'),
}, async (t) => {
  const script = `
    eval "$SCRIPT"
    for COMP_LINE in "$@"; do
      COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(tickhaul); _tickhaul; echo "> \${COMPREPLY[*]}"
    done`;
  const lines = [
    'tickhaul down',
    'tickhaul replay binance:BTCE',
    'tickhaul convert --format=',
    'tickhaul plan binance -s "eth',
  ];
  assert.deepEqual(await run(t, 'bash', script, ...lines), [
    '> download',
    '> BTCEUR',
    '> parquet ndjson arrow csv',
    '> ETHUSDT',
  ]);
});

test('zsh offers words with descriptions, or paths', { skip: lacks('zsh') }, async (t) => {
  const script = `
    compdef() { }; _files() { echo "files $*" }; _describe() { print -rl -- $found }
    eval "$SCRIPT"
    ask() { words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _tickhaul }
    ask tickhaul down; ask tickhaul replay 'binance\\:BTCE'; ask tickhaul replay binance:ETHUSDT,BTCE
    ask tickhaul convert x; ask tickhaul coverage ''`;
  assert.deepEqual(await run(t, 'zsh', script), [
    'download:download day files in parallel, verify and record them',
    'binance\\:BTCEUR',
    'binance\\:ETHUSDT,BTCEUR',
    'files ',
    'files -/',
  ]);
});

test('fish offers words with descriptions', { skip: lacks('fish') }, async (t) => {
  const script = `
    echo $SCRIPT | source
    for line in 'tickhaul down' 'tickhaul replay binance:BTCE' 'tickhaul plan binance -s "ETH' 'tickhaul plan binance -t trades,q'
      complete -C $line
    end`;
  assert.deepEqual(await run(t, 'fish', script), [
    'download\tdownload day files in parallel, verify and record them',
    'binance:BTCEUR',
    'ETHUSDT',
    'trades,quotes',
  ]);
});
