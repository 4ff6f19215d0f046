import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNamedCommand, hasSwitch, readWords } from '../../../src/cli/arguments/typed-words.js';
import { COMMANDS } from '../../../src/cli/commands/command-list.js';

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
