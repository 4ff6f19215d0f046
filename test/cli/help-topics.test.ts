import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ERROR_TABLE } from '../../src/base/errors.js';
import { commandName } from '../../src/cli/arguments/define-flags.js';
import { COMMANDS, HELP_TOPICS } from '../../src/cli/commands/command-list.js';
import { readSections } from '../../src/cli/commands/help.js';
import { failedWith } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { filesOfPackage } from '../helpers/package-files.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TOPICS = Object.entries(HELP_TOPICS);
const NAMES = [...COMMANDS.map(commandName), ...Object.keys(HELP_TOPICS)];

async function topic(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runHere(['help', ...words]);
  assert.deepEqual([exitCode, stderr], [0, ''], words.join(' '));
  return stdout;
}

for (const [name, { page, sections }] of TOPICS) {
  test(`help ${name} prints its page without marks, in 80 columns`, async () => {
    const text = await topic(name);
    const markdown = readFileSync(join(ROOT, page), 'utf8');
    for (const title of sections ?? []) {
      assert.ok(markdown.includes(`\n## ${title}\n`), `${page} has no section ${title}`);
      assert.ok(text.includes(`\n\n${title}\n\n`), title);
    }
    const prose = text.split('\n').filter((line) => !line.startsWith('    '));
    for (const line of prose) {
      // A word such as the path of the page may be longer.
      assert.ok(
        line.length <= 80 ||
          !line
            .trim()
            .replace(/^The whole page: /, '')
            .includes(' '),
        line,
      );
      assert.doesNotMatch(line, /^\||(?<!`)\*\*|\]\(|^#/);
    }
    const isCited = filesOfPackage();
    for (const [path] of text.matchAll(/(?<=\()[\w./-]+\.(?:md|json|py|sh|sql)\b/g))
      assert.ok(isCited(path), path);
    for (const [, cited = ''] of text.matchAll(/tickhaul help ([a-z-]+)/g))
      assert.ok(NAMES.includes(cited), cited);
    assert.ok(text.endsWith(`The whole page: ${join(ROOT, page)}\n`));
    assert.ok(existsSync(join(ROOT, page)) && isCited(page));
  });

  test(`help ${name} --json is a document with the page`, async () => {
    const document = JSON.parse(await topic(name, '--json'));
    assert.equal(document.name, name);
    assert.equal(document.page, join(ROOT, page));
    assert.equal(document.sections[0].title, '');
    if (sections)
      assert.deepEqual(
        document.sections.slice(1).map((part: { title: string }) => part.title),
        sections,
      );
    assert.ok(document.sections.every((part: { markdown: string }) => part.markdown !== ''));
  });
}

test('help exit-codes has every code, and what to do about it', async () => {
  const text = await topic('exit-codes');
  for (const { exitCode } of Object.values(ERROR_TABLE))
    assert.match(text, new RegExp(`^(?:\\d+, )?${exitCode}\\b`, 'm'));
  assert.match(text, /^CODE +MEANING +WHAT TO DO$/m);
  assert.match(text, /^1 +a bug in tickhaul +report the message/m);
});

test('help without a word lists commands and topics', async () => {
  const text = await topic();
  for (const name of Object.keys(HELP_TOPICS)) assert.ok(text.includes(name), name);
});

test('an unknown topic is a usage error with the nearest name', async () => {
  for (const [word, nearest] of [
    ['exit-code', 'exit-codes'],
    ['env', 'environment'],
  ] as const) {
    const { exitCode, stdout, stderr } = await runHere(['help', word]);
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, new RegExp(`unknown command or topic "${word}"; did you mean ${nearest}\\?`));
  }
  const empty = await runHere(['help', '']);
  assert.deepEqual([empty.exitCode, empty.stderr], [2, 'tickhaul: <topic> is empty; see tickhaul help\n']);
  // All words are known, and there is nothing to suggest.
  assert.match(await topic('help', 'help'), /^tickhaul help \[topic\]\n/);
  await failedWith(runHere(['help', 'exit-codes', 'more']), 2, /"more": one argument too many/);
});

test('a page that the package lacks is a disk error that names it', () => {
  assert.throws(
    () => readSections({ describe: '', page: 'lost/none.md' }),
    /none\.md: this page is missing; install tickhaul again$/,
  );
});

test('headings are bold where colours are allowed, and plain elsewhere', async () => {
  const coloured = await runHere(['help', 'environment'], { env: { FORCE_COLOR: '1' } });
  assert.ok(coloured.stdout.startsWith('\u001b[1m'));
  for (const env of [{}, { NO_COLOR: '1', FORCE_COLOR: '1' }]) {
    const { stdout } = await runHere(['help', 'environment'], { env });
    assert.ok(!stdout.includes('\u001b'));
  }
});
