// Writes docs/reference/commands/: a page for each command, made from its definition, and their index.
//   npm run reference                   writes the pages
//   node scripts/reference.js --check   exits with code 1 if a page differs from the definitions
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describeCommand, describeProgram } from '../dist/src/cli/arguments/describe-command.js';
import { COMMANDS } from '../dist/src/cli/commands/command-list.js';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'reference', 'commands');
const INDEX = 'README.md';
const GENERATED =
  '<!-- Written by `npm run reference` from the definitions in src/cli. Do not edit this page. -->';

const commands = await Promise.all(
  COMMANDS.map(async (outline) => describeCommand({ ...outline, ...(await outline.load()) })),
);
const pages = new Map([
  [INDEX, formatIndex(describeProgram(COMMANDS))],
  ...commands.map((command) => [`${command.name}.md`, formatPage(command)]),
]);
if (process.argv.includes('--check')) checkPages();
else writePages();

function writePages() {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(FOLDER, name), text);
}

function checkPages() {
  const existing = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const outdated = [...new Set([...pages.keys(), ...existing])].filter(
    (name) => !existing.includes(name) || readFileSync(join(FOLDER, name), 'utf8') !== pages.get(name),
  );
  if (outdated.length === 0) return;
  process.stderr.write(
    `docs/reference/commands: ${outdated.join(', ')} not as defined in src/cli; run npm run reference\n`,
  );
  process.exitCode = 1;
}

function formatPage(command) {
  return joinBlocks([
    `# tickhaul ${command.name}`,
    GENERATED,
    formatSentence(command.description),
    formatShell([command.usage]),
    ...formatArguments(command.arguments),
    ...formatFlagGroups(command.flags),
    `[Flags of every command](${INDEX}#flags-of-every-command) also apply.`,
    ...formatTerms(command.terms),
    ...formatExamples(command.examples),
    '## Exit codes',
    formatExitCodes(command.exitCodes),
    ...(command.exitCodeNote === undefined ? [] : [formatSentence(command.exitCodeNote)]),
    '[Exit codes](../exit-codes.md) says what to do.',
    ...formatSeeAlso(command.name),
  ]);
}

function formatIndex(program) {
  return joinBlocks([
    '# Commands',
    GENERATED,
    'A page for each command: arguments, flags, examples and exit codes. `tickhaul <command> -h` shows the flags of most uses in a terminal, and `tickhaul help <command>` all of them. `tickhaul help <command> --json` prints all of it as JSON.',
    formatTable(
      ['command', 'purpose'],
      program.commands.map(({ name, usage, description }) => [
        `[\`${usage}\`](${name}.md)`,
        escapeMarkdown(description),
      ]),
    ),
    '## Topics',
    '`tickhaul help <topic>` prints pages, or sections of them, in a terminal.',
    formatTable(
      ['topic', 'subject', 'page'],
      program.topics.map(({ name, description, page }) => [
        `\`${name}\``,
        escapeMarkdown(description),
        `[${titleOf(page)}](${posix.relative('docs/reference/commands', page)})`,
      ]),
    ),
    '## Flags of every command',
    formatFlags(program.globalFlags),
    '## Exit codes',
    formatExitCodes(program.exitCodes),
    '[Exit codes](../exit-codes.md) says what to do.',
  ]);
}

function formatArguments(list) {
  if (list.length === 0) return [];
  const rows = list.map(({ name, required, repeated, description, choices }) => {
    const shown = repeated ? `${name}..` : name;
    return [required ? `\`<${shown}>\`` : `\`[${shown}]\``, formatMeaning(description, choices)];
  });
  return ['## Arguments', formatTable(['argument', 'meaning'], rows)];
}

function formatFlagGroups(flags) {
  const groups = [...new Set(flags.map(({ group }) => group))];
  const tables = groups.flatMap((group) => [
    `### ${group}`,
    formatFlags(flags.filter((flag) => flag.group === group)),
  ]);
  return ['## Flags', ...tables];
}

/** A table of flags. It has a column of defaults if a definition states a default as a value. */
function formatFlags(flags) {
  const hasDefaults = flags.some((flag) => flag.default !== undefined);
  const rows = flags.map(({ name, aliases, type, description, choices, default: value }) => {
    const names = [
      ...aliases.map((alias) => `\`${alias.length === 1 ? '-' : '--'}${alias}\``),
      `\`--${name}${type === 'boolean' ? '' : ' <value>'}\``,
    ];
    const fallback = value === undefined ? '' : `\`${String(value)}\``;
    return [names.join(', '), ...(hasDefaults ? [fallback] : []), formatMeaning(description, choices)];
  });
  return formatTable(['flag', ...(hasDefaults ? ['default'] : []), 'meaning'], rows);
}

function formatMeaning(description, choices) {
  const text = escapeMarkdown(description);
  return choices === undefined
    ? text
    : `${text}. Values: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
}

function formatTerms(terms) {
  if (!terms) return [];
  const rows = terms.meanings.map(([name, meaning]) => [`\`${name}\``, escapeMarkdown(meaning)]);
  return [`## ${terms.heading}`, formatTable(['name', 'meaning'], rows)];
}

function formatExamples(examples) {
  if (examples.length === 0) return [];
  return [
    '## Examples',
    formatShell(examples.map(({ command, description }) => `# ${description}\n${command}`)),
  ];
}

function formatExitCodes(codes) {
  return formatTable(
    ['code', 'meaning'],
    codes.map(({ code, meaning }) => [String(code), escapeMarkdown(meaning)]),
  );
}

/** Links the hand-written page about the command, if it has the command's name. */
function formatSeeAlso(name) {
  const page = `docs/reference/${name}.md`;
  if (!existsSync(join(ROOT, page))) return [];
  return [`## See also\n\n- [${titleOf(page)}](../${name}.md)`];
}

/** The title of a page, by its path in the project. */
function titleOf(page) {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))[1];
}

function formatShell(lines) {
  return `\`\`\`sh\n${lines.join('\n\n')}\n\`\`\``;
}

function formatTable(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function formatSentence(text) {
  return escapeMarkdown(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

function escapeMarkdown(text) {
  return text.replaceAll(/[\\`*<|[\]]/g, '\\$&').replaceAll(/\s*\n\s*/g, ' ');
}

function joinBlocks(blocks) {
  return `${blocks.join('\n\n')}\n`;
}
