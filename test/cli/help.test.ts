import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandName } from '../../src/cli/arguments/define-flags.js';
import { type ParsedCommandLine, parseCommandLine } from '../../src/cli/arguments/parse-command-line.js';
import { GROUPS } from '../../src/cli/arguments/program-help.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';

const COLUMNS = 80;

async function help(...words: string[]): Promise<readonly string[]> {
  const isShort = words.includes('-h');
  const parsed = await parseCommandLine(COMMANDS, isShort ? words : [...words, '--help'], COLUMNS);
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

  test(`${name} -h has at most 40 lines, and says how to see the other flags`, async () => {
    const lines = await help(name, '-h');
    assert.ok(lines.length <= 40, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= COLUMNS, line);
    assert.equal(lines[0], `tickhaul ${command.syntax}`);
    assert.equal(lines.includes('Flags:'), Object.keys(command.flags).length > 0);
    assert.ok(lines.includes(`More flags, described by tickhaul ${name} --help:`));
    const groups = new Set(Object.values(command.flags).map(({ group = '' }) => group));
    const named = lines.filter((line) => [...groups].some((group) => line.startsWith(`  ${group} `)));
    // A group whose flags are not described has one line.
    assert.equal(named.length, new Set(named).size);
    assert.ok(lines.some((line) => line.startsWith('  Everywhere: --json, ')));
  });

  for (const [line] of command.examples.filter(([example]) => example.startsWith('$0 '))) {
    test(`parses the example: ${line}`, async () => {
      const parsed = await parseCommandLine(COMMANDS, wordsOf(line).slice(1), COLUMNS);
      assert.equal(parsed.kind === 'run' && commandName(parsed.command), name);
    });
  }
}

test('the general help lists every command in a line of its group, in 60 lines of 80 columns', async () => {
  const lines = await help();
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  // The last line ends with a path.
  for (const line of lines.slice(0, -1)) assert.ok(line.length <= COLUMNS, line);
  const groups = lines.filter((line) => /^[A-Z][\w ]*:$/.test(line));
  assert.deepEqual(
    groups,
    GROUPS.map((group) => `${group}:`),
  );
  for (const { syntax, describe, group } of COMMANDS) {
    const at = lines.findIndex((line) => line.startsWith(`  ${commandName({ syntax })} `));
    assert.ok(lines[at]?.endsWith(`  ${describe}`), syntax);
    assert.equal(
      lines.slice(0, at).findLast((line) => /^\S/.test(line)),
      `${group}:`,
    );
  }
});

test('flags of a backtester are described by the help of export, and only named by that of download', async () => {
  const exported = await help('export');
  for (const words of [['download'], ['download', '-h']]) {
    const lines = await help(...words);
    assert.ok(lines.some((line) => line.includes('tickhaul help export')));
    for (const flag of ['--base-latency', '--instrument-id', '--funding-grid']) {
      assert.ok(!lines.some((line) => line.trim().startsWith(`${flag} `)), flag);
      assert.ok(
        exported.some((line) => line.trim().startsWith(`${flag} `)),
        flag,
      );
    }
  }
  const whole = (await help('download')).join(' ').replaceAll(/\s+/g, ' ');
  assert.match(whole, /For hftbacktest: --base-latency, --snapshots/);
  const parsed = await parseCommandLine(COMMANDS, ['download', '--base-latency', '1ms'], COLUMNS);
  assert.equal(parsed.kind === 'run' && parsed.args['base-latency'], '1ms');
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
