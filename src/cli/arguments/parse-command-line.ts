import yargs, { type Argv } from 'yargs';
import { usageError } from '../../base/errors.js';
import { OUTPUT_FORMAT_LIST } from '../../base/output-format-names.js';
import { VERSION } from '../../base/version.js';
import {
  type Command,
  type CommandAction,
  type CommandArgs,
  type CommandOutline,
  commandName,
  HELP,
  HELP_OUTLINE,
} from './command.js';
import { BUILT_IN_FLAGS, GLOBAL_FLAGS } from './define-flags.js';
import { findNamedCommand, hasSwitch, readWords } from './typed-words.js';
import { formatHelpHint, formatUnknownCommand, toUsageError } from './usage-errors.js';

/** Result of a command line: text to print (help, version), or a command to run. */
export type ParsedCommandLine =
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'run'; readonly command: Command; readonly args: CommandArgs };

const EXAMPLES: CommandAction['examples'] = [
  ['$0 demo', 'see it work, without a key or a network'],
  [
    '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
    'one file; the first day of a month needs no key',
  ],
];

const DOCS = 'Exit codes, every flag, cron and CI recipes: see the README that ships with tickhaul.';

/**
 * Parses a command line.
 * @param typed words without node and script. @param columns width of help texts.
 * @throws usage error, in one line, for an unknown command or flag or a missing argument.
 */
export async function parseCommandLine(
  commands: readonly CommandOutline[],
  typed: readonly string[],
  columns: number,
): Promise<ParsedCommandLine> {
  const words = withHelpFlag(typed);
  assertKnownHelp(commands, words);
  let selected: { command: Command; args: CommandArgs } | undefined;
  let text = '';
  let isDataWanted = false;
  let isVersionWanted = false;
  const outline = findNamedCommand(commands, words);
  const command = outline && { ...outline, ...(await outline.load()) };
  const positional = protectPositionals(words);
  const parser = createParser(commands, command, columns, (syntax, args) => {
    if (command?.syntax === syntax) {
      selected = { command, args: positional.restore(args) };
      // Words after `--` may belong to another command, which may have empty arguments.
      if (!words.includes('--')) assertNoEmptyPositional(selected);
    }
    // Otherwise yargs builds the help text next, which takes as long as parsing.
    throw PARSED;
  });
  parser.fail((message, error) => {
    throw toUsageError(positional.text(message ?? error?.message ?? ''), command, commands, words);
  });
  try {
    await parser.parseAsync([...positional.words], {}, (_error, args, output) => {
      text = output;
      isDataWanted = args['help'] === true && args['json'] === true;
      isVersionWanted = args['version'] === true && args['help'] !== true;
    });
  } catch (error) {
    if (error !== PARSED) throw error;
  }
  // Other programs print more with -v: the version in place of the command would look like success.
  if (isVersionWanted && command && commandName(command) !== 'version' && !words.includes('--version'))
    throw usageError('-v after a command: use --verbose to print each request, or tickhaul --version');
  if (text !== '' && isDataWanted) return { kind: 'print', text: await formatHelpData(commands, command) };
  if (text !== '') return { kind: 'print', text: `${text}\n` };
  if (selected === undefined) throw usageError('no command given; see tickhaul --help');
  return { kind: 'run', ...selected };
}

/** Help as JSON in one line. The modules are loaded here because other command lines do not need them. */
async function formatHelpData(
  commands: readonly CommandOutline[],
  command: Command | undefined,
): Promise<string> {
  const { describeCommand, describeProgram } = await import('./describe-command.js');
  const { formatDocument } = await import('../output/text/screen.js');
  return formatDocument(command ? describeCommand(command) : describeProgram(commands), false);
}

/** Converts `help download` to `--help download`. */
function withHelpFlag(words: readonly string[]): readonly string[] {
  const { firstAt: at } = readWords(words);
  return words[at] === HELP ? words.toSpliced(at, 1, '--help') : words;
}

/** @throws usage error for help about an unknown command, for which yargs would print the general help. */
function assertKnownHelp(commands: readonly CommandOutline[], words: readonly string[]): void {
  if (!hasSwitch(words, 'help')) return;
  const word = words[readWords(words).firstAt];
  if (word === undefined || word === HELP || findNamedCommand(commands, words) !== undefined) return;
  throw usageError(`${formatUnknownCommand(word, commands)}; ${formatHelpHint(undefined)}`);
}

/** Replaces a leading dash; arguments of a process cannot contain this character. */
const DASH_PLACEHOLDER = '\0';

/**
 * Protects positionals after `--`: yargs would parse `-x` there as a flag, and drops a `-` everywhere. The word `--` is
 * removed, and leading dashes are replaced while yargs parses.
 */
function protectPositionals(words: readonly string[]): {
  readonly words: readonly string[];
  text(read: string): string;
  restore(args: CommandArgs): CommandArgs;
} {
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  const flags = words.slice(0, at).map((word) => (word === '-' ? DASH_PLACEHOLDER : word));
  const value = (read: unknown): unknown =>
    Array.isArray(read)
      ? read.map(value)
      : typeof read === 'string'
        ? read.replaceAll(DASH_PLACEHOLDER, '-')
        : read;
  return {
    words: [...flags, ...words.slice(at + 1).map((word) => word.replace(/^-/, DASH_PLACEHOLDER))],
    // yargs formats some values in its messages as JSON.
    text: (read) => read.replaceAll(DASH_PLACEHOLDER, '-').replaceAll('\\u0000', '-'),
    restore: (args) => Object.fromEntries(Object.entries(args).map(([name, read]) => [name, value(read)])),
  };
}

/** @throws usage error for an empty positional, usually an unset shell variable. */
function assertNoEmptyPositional({
  command,
  args,
}: {
  readonly command: Command;
  readonly args: CommandArgs;
}): void {
  for (const name of Object.keys(command.positionals ?? {})) {
    if ([args[name]].flat().includes('')) throw usageError(`<${name}> is empty; ${formatHelpHint(command)}`);
  }
}

/** Thrown to leave yargs after it has parsed a command line. */
const PARSED = Symbol('read');

/** @param loaded the only command that may run, and whose help may be printed. */
function createParser(
  commands: readonly CommandOutline[],
  loaded: Command | undefined,
  columns: number,
  onSelected: (syntax: string, args: CommandArgs) => void,
): Argv {
  const parser = yargs()
    .scriptName('tickhaul')
    .locale('en')
    .usage('$0 <command>\n\nDownloads, verifies and converts day files of the Tardis.dev dataset service.')
    // --no-color is a separate flag; symbols and days must remain strings.
    .parserConfiguration({
      'boolean-negation': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .options(GLOBAL_FLAGS)
    .epilogue(`${formatExamples(EXAMPLES)}\n\n${DOCS}`)
    .wrap(columns)
    .version(VERSION)
    .help()
    .strict()
    .exitProcess(false);
  // yargs warns of options with these names, so each part is set by itself.
  for (const [name, { alias = [], describe = '', group = '' }] of Object.entries(BUILT_IN_FLAGS))
    parser.alias(name, alias).describe(name, describe).group(name, group);
  // If a command is named, only that one is defined, which saves time.
  for (const { syntax, describe } of loaded ? [loaded] : commands) {
    const describeSelf = (sub: Argv): Argv => (loaded?.syntax === syntax ? defineCommand(sub, loaded) : sub);
    parser.command(syntax, describe, describeSelf, (args) => onSelected(syntax, args));
  }
  if (loaded === undefined) parser.command(HELP_OUTLINE.syntax, HELP_OUTLINE.describe);
  return parser;
}

function defineCommand(sub: Argv, command: Command): Argv {
  sub.usage(`$0 ${command.syntax}\n\n${capitalize(command.describe)}.`);
  // A default of undefined keeps the help from showing [default: []] for lists.
  for (const [name, positional] of Object.entries(command.positionals ?? {}))
    sub.positional(name, { default: undefined, ...positional });
  return sub.options(command.flags).epilogue(formatTerms(command.terms) + formatExamples(command.examples));
}

function formatTerms(terms: CommandAction['terms']): string {
  if (!terms) return '';
  const width = Math.max(...terms.meanings.map(([name]) => name.length));
  const lines = terms.meanings.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}\n`);
  return `${terms.heading}:\n${lines.join('')}\n`;
}

/** Formats examples without wrapping, unlike yargs, so that they can be copied. */
function formatExamples(examples: CommandAction['examples']): string {
  const texts = examples.map(
    ([line, description]) => `  # ${description}\n  ${line.replaceAll('$0', 'tickhaul')}`,
  );
  return `Examples:\n${texts.join('\n')}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Commands for a start, with descriptions. */
const FIRST_COMMANDS: readonly (readonly [string, string])[] = [
  ['demo', 'see it work, without a key or a network'],
  ['symbols', 'list the symbols of an exchange, with data types and days'],
  ['download', 'download and verify day files'],
  ['convert', `convert day files to ${OUTPUT_FORMAT_LIST}`],
  ['replay', "print a period's messages as JSON lines"],
];

/** The output of `tickhaul` without arguments: 24 lines of 80 columns. @param count number of commands. */
export function createFirstScreen(count: number): string {
  const lines = FIRST_COMMANDS.map(([name, description]) => `  tickhaul ${name.padEnd(10)}${description}`);
  return `Downloads, verifies and converts day files of the Tardis.dev dataset service.

Usage: tickhaul <command>

${lines.join('\n')}

One file, without a key:
  tickhaul download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01

All ${count} commands: tickhaul --help
The flags of one command: tickhaul help <command>
`;
}
