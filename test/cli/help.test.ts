import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandName } from '../../src/cli/arguments/command.js';
import { type ParsedCommandLine, parseCommandLine } from '../../src/cli/arguments/parse-command-line.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';

const COLUMNS = 80;

async function help(...words: string[]): Promise<readonly string[]> {
  const parsed = await parseCommandLine(COMMANDS, [...words, '--help'], COLUMNS);
  assert.equal(parsed.kind, 'print');
  return (parsed as ParsedCommandLine & { kind: 'print' }).text.trimEnd().split('\n');
}

/** The words of a command line, up to a pipe or another operator. */
function wordsOf(line: string): readonly string[] {
  const [own = ''] = line.split(/ (?:\||>|&&) /);
  return [...own.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? '');
}

const LOADED = await Promise.all(
  COMMANDS.map(async (outline) => ({ ...outline, ...(await outline.load()) })),
);

for (const command of LOADED) {
  const name = commandName(command);
  test(`the help of ${name} fits 80 columns, groups every flag, and has examples that can be copied`, async () => {
    const lines = await help(name);
    for (const line of lines) assert.ok(line.length <= COLUMNS, line);
    assert.ok(!lines.includes('Options:'), 'a flag without a group');
    assert.ok(!lines.some((line) => line.includes('[default: []]')));
    const [firstGroup] = lines.filter((line) => /^\S.*:$/.test(line));
    assert.equal(firstGroup === 'Positionals:', Object.keys(command.positionals ?? {}).length > 0);
    for (const [line] of command.examples) {
      const shown = line.replaceAll('$0', 'tickhaul');
      assert.ok(lines.includes(`  ${shown}`), shown);
    }
  });

  for (const [line] of command.examples.filter(([example]) => example.startsWith('$0 '))) {
    test(`parses the example: ${line}`, async () => {
      const parsed = await parseCommandLine(COMMANDS, wordsOf(line).slice(1), COLUMNS);
      assert.equal(parsed.kind === 'run' && commandName(parsed.command), name);
    });
  }
}

test('the general help lists every command and fits 80 columns', async () => {
  const lines = await help();
  for (const line of lines) assert.ok(line.length <= COLUMNS, line);
  for (const command of COMMANDS)
    assert.ok(lines.some((line) => line.startsWith(`  tickhaul ${command.syntax}`)));
});

test('finds a command after a flag with a value', async () => {
  const words = ['--json', '--dir', 'plan', 'download', 'deribit', '--date=2024-03-01'];
  const parsed = await parseCommandLine(COMMANDS, words, COLUMNS);
  assert.equal(parsed.kind === 'run' && commandName(parsed.command), 'download');
  assert.equal(parsed.kind === 'run' && parsed.args['dir'], 'plan');
});

test('help loads no command, and only the packages that parse the command line', () => {
  const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
  const { files, packages } = importsOf(main);
  assert.deepEqual([...packages].sort(), ['leven', 'yargs']);
  assert.deepEqual(
    [...files].filter((file) =>
      /commands\/(?!command-list|command-host)|download\/|service\/|store\//.test(file),
    ),
    [],
  );
});

/** The static imports of a module, and theirs in turn. */
function importsOf(module: string, files = new Set<string>(), packages = new Set<string>()) {
  files.add(module);
  const text = readFileSync(module, 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export) (?:[^'"]* from )?'([^']+)'/gm)) {
    if (!from.startsWith('.')) {
      if (!from.startsWith('node:')) packages.add(from);
    } else if (from.endsWith('.js')) {
      const file = resolve(dirname(module), from);
      if (!files.has(file)) importsOf(file, files, packages);
    }
  }
  return { files, packages };
}

test('flags without a command are a usage error', async () => {
  await assert.rejects(parseCommandLine(COMMANDS, ['--json'], COLUMNS), {
    code: 'usage',
    message: /^no command given/,
  });
});

test('the command is the first word that names one, not a flag’s value that looks like one', async () => {
  const words = ['download', 'deribit', '--dir', 'plan', '--tpye', 'x'];
  await assert.rejects(parseCommandLine(COMMANDS, words, COLUMNS), {
    message: /see tickhaul download --help$/,
  });
});

test('an invalid choice of a positional names the positional', async () => {
  await assert.rejects(parseCommandLine(COMMANDS, ['completion', 'tcsh'], COLUMNS), {
    message: /^<shell>: "tcsh" is not one of/,
  });
});
