import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../../src/cli/arguments/parse-command-line.js';
import { findNamedCommand, hasSwitch, readWords } from '../../../src/cli/arguments/typed-words.js';
import { COMMANDS } from '../../../src/cli/commands/command-list.js';

/** The error of a command line, without the hint to the help. */
async function complaintOf(line: string): Promise<string> {
  const error = await parseCommandLine(COMMANDS, line.split(' '), 80).then(
    () => assert.fail(`${line} was accepted`),
    (thrown) => thrown as Error & { readonly code: string },
  );
  assert.equal(error.code, 'usage');
  return error.message.replace(/; see tickhaul [a-z]+ --help$/, '');
}

const MEANT: readonly (readonly [string, string])[] = [
  ['download binance --start 2024-03-01', '--from'],
  ['download binance --begin=2024-03-01', '--from'],
  ['download binance --since 2024-03-01', '--from'],
  ['download binance --end 2024-03-02', '--to'],
  ['replay binance --until 2024-03-02', '--to'],
  ['download binance --symbols BTCUSDT', '--symbol'],
  ['download binance --types trades', '--type'],
  ['download binance --data-type trades', '--type'],
  ['download binance --dataTypes trades', '--type'],
  ['download binance --data_types trades', '--type'],
  ['download binance --output x', '--dir'],
  ['convert a.csv.gz --output x', '--out'],
  ['download binance --outdir x', '--dir'],
  ['convert a.csv.gz --outdir x', '--out'],
  ['download binance --folder x', '--dir'],
  ['download binance --threads 4', '--concurrency'],
  ['convert a.csv.gz --workers 4', '--jobs'],
  ['download binance --parallel 4', '--concurrency'],
  ['download binance --format parquet', '--convert'],
  ['download binance --force', '--existing overwrite'],
  ['download binance --dryrun', '--dry-run'],
  ['status binance --silent', '--quiet'],
];
for (const [line, flag] of MEANT) {
  test(`${line} suggests ${flag}`, async () => {
    const word = line.split(' ').find((text) => text.startsWith('--'));
    assert.equal(await complaintOf(line), `unknown flag ${word?.replace(/=.*/, '')}; did you mean ${flag}?`);
  });
}

test('suggests the argument for a flag that is a positional argument here', async () => {
  assert.equal(
    await complaintOf('status --exchange binance'),
    'unknown flag --exchange; <exchange> is given without a flag: tickhaul status <exchange>',
  );
  assert.equal(
    await complaintOf('convert --input a.csv.gz'),
    'unknown flag --input; <path> is given without a flag: tickhaul convert [path..]',
  );
});

test('suggests only flags that the command has', async () => {
  assert.equal(await complaintOf('inspect a.parquet --start 2024-03-01'), 'unknown flag --start');
  assert.equal(await complaintOf('verify --dryrun'), 'unknown flag --dryrun');
});

test('suggests the environment for a key given as a flag, and does not print the key', async () => {
  for (const line of [
    'download binance --api-key s3cret',
    'replay binance --key=s3cret',
    'key --token s3cret',
  ]) {
    const complaint = await complaintOf(line);
    assert.match(complaint, /^unknown flag --[a-z-]+; .*set TICKHAUL_API_KEY, .*--api-key-file$/);
    assert.doesNotMatch(complaint, /s3cret/);
  }
});

const NAMED: readonly (readonly [string, string | undefined])[] = [
  ['plan deribit', 'plan'],
  ['--dir plan verify', 'verify'],
  ['--dir=plan verify', 'verify'],
  ['-q plan', 'plan'],
  ['--json plan', 'plan'],
  ['nonsense plan', 'plan'],
  ['nonsense -- tickhaul plan', undefined],
  ['', undefined],
];
for (const [line, name] of NAMED) {
  test(`the command that "${line}" names: ${name ?? 'none'}`, () => {
    assert.equal(findNamedCommand(COMMANDS, line.split(' '))?.syntax.split(' ')[0], name);
  });
}

const JSON_LINES: readonly (readonly [string, boolean])[] = [
  ['download --json', true],
  ['download --nope --json', true],
  ['download --dir --json', true],
  ['download --json=true', true],
  ['download --json=false', false],
  ['sandbox -- other --json', false],
  ['download json', false],
];
for (const [line, isSet] of JSON_LINES) {
  test(`"${line}" ${isSet ? 'sets' : 'does not set'} --json`, () => {
    assert.equal(hasSwitch(line.split(' '), 'json'), isSet);
  });
}

test('reads flags by their long names, in order, and what the next word is', () => {
  const { flags, ...others } = readWords(['-q', 'a', '--log=x=y', '--log', '-', '--', '-b', '--c']);
  assert.deepEqual(
    [...flags],
    [
      ['quiet', ['true']],
      ['log', ['x=y', '-']],
    ],
  );
  assert.deepEqual(others, {
    positionals: ['a', '-b', '--c'],
    firstAt: 1,
    openFlag: undefined,
    isEnded: true,
  });
  assert.equal(readWords(['--log']).openFlag, 'log');
});
