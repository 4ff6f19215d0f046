import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ERROR_TABLE } from '../../src/base/errors.js';
import { commandName } from '../../src/cli/arguments/define-flags.js';
import {
  ALL_EXIT_CODES,
  type CommandDescription,
  type ProgramDescription,
} from '../../src/cli/arguments/describe-command.js';
import { COMMANDS, HELP_TOPICS } from '../../src/cli/commands/command-list.js';
import { runHere } from '../helpers/in-process.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMES = COMMANDS.map(commandName);

async function helpData<T>(...words: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runHere(words);
  assert.deepEqual([exitCode, stderr], [0, ''], words.join(' '));
  assert.match(stdout, /^[^\n]+\n$/);
  return JSON.parse(stdout) as T;
}

test('help --json prints all commands and the flags of every command', async () => {
  const program = await helpData<ProgramDescription>('help', '--json');
  assert.deepEqual(
    program.commands.map(({ name }) => name),
    NAMES,
  );
  for (const { description } of program.commands) assert.match(description, /^[^\n]+$/);
  assert.equal(program.commands.find(({ name }) => name === 'queue')?.group, 'Many machines');
  assert.deepEqual(
    program.topics.map(({ name }) => name),
    Object.keys(HELP_TOPICS),
  );
  assert.deepEqual(
    program.globalFlags.find(({ name }) => name === 'quiet'),
    { name: 'quiet', aliases: ['q'], type: 'boolean', description: 'print errors only', group: 'Everywhere' },
  );
  for (const name of ['help', 'version']) assert.ok(program.globalFlags.some((flag) => flag.name === name));
  const codes = new Set([0, ...Object.values(ERROR_TABLE).map(({ exitCode }) => exitCode)]);
  assert.deepEqual(
    program.exitCodes.map(({ code }) => code),
    [...codes].sort((a, b) => a - b),
  );
});

for (const name of NAMES) {
  test(`help ${name} --json describes the command completely`, async () => {
    const command = await helpData<CommandDescription>('help', name, '--json');
    assert.equal(command.name, name);
    assert.match(command.usage, new RegExp(`^tickhaul ${name}\\b`));
    assert.ok(command.examples.length > 0);
    assert.ok(command.exitCodes.some(({ code }) => code === 0));
    for (const { description } of [...command.arguments, ...command.flags, ...command.examples])
      assert.notEqual(description, '');
    for (const { name: flag, group, type } of command.flags) {
      assert.match(group, /^[A-Z][^:]+$/, flag);
      assert.ok(['boolean', 'string'].includes(type), flag);
    }
  });
}

test('help --json has arguments, aliases, choices and examples as the command defines them', async () => {
  const download = await helpData<CommandDescription>('download', '--help', '--json');
  assert.deepEqual(
    download.arguments.map(({ name, required, repeated }) => ({ name, required, repeated })),
    [{ name: 'exchange', required: false, repeated: false }],
  );
  const flag = (name: string) => download.flags.find((entry) => entry.name === name);
  assert.deepEqual(flag('concurrency')?.aliases, ['j']);
  assert.deepEqual(flag('existing')?.choices, ['skip', 'verify', 'overwrite']);
  assert.equal(flag('fail-fast')?.type, 'boolean');
  assert.ok(download.examples.every(({ command }) => command.startsWith('tickhaul download ')));
  const manifest = await helpData<CommandDescription>('help', 'manifest', '--json');
  assert.deepEqual(
    manifest.arguments.map(({ name, required, repeated, choices }) => [name, required, repeated, choices]),
    [
      ['action', true, false, ['merge']],
      ['folder', true, true, undefined],
    ],
  );
});

test('README and docs/reference/exit-codes.md list every exit code, and no other', async () => {
  const codes = ALL_EXIT_CODES.map(String);
  for (const name of ['README.md', 'docs/reference/exit-codes.md', 'docs/spec/command-line.md']) {
    const page = await readFile(`${PROJECT}/${name}`, 'utf8');
    const listed = [...page.matchAll(/^\| (\d+(?:, \d+)*) +\|/gm)].flatMap(([, row = '']) => row.split(', '));
    assert.deepEqual(listed, codes, name);
  }
});
