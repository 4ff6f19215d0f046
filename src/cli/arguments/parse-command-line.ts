import yargs, { type Argv } from 'yargs';
import { usageError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import {
  type Command,
  type CommandAction,
  type CommandArgs,
  type CommandOutline,
  HELP,
  HELP_OUTLINE,
} from './command.js';
import { findFirstWord, findNamedCommand } from './find-named-command.js';
import { BUILT_IN_FLAGS, GLOBAL_FLAGS } from './run-flags.js';
import { formatHelpHint, formatUnknownCommand, toUsageError } from './usage-errors.js';

/** What a command line asks for: text to print (help, version), or a command to run. */
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
 * Reads a command line.
 * @param words without node and script. @param columns width for help texts.
 * @throws usage error, in one line, for an unknown command or flag or a missing argument.
 */
export async function parseCommandLine(
  commands: readonly CommandOutline[],
  typed: readonly string[],
  columns: number,
): Promise<ParsedCommandLine> {
  const words = withHelpFlag(typed);
  assertKnownHelp(commands, words);
  let chosen: { command: Command; args: CommandArgs } | undefined;
  let text = '';
  let isDataWanted = false;
  const outline = findNamedCommand(commands, words);
  const command = outline && { ...outline, ...(await outline.load()) };
  const positional = keepPositional(words);
  const parser = build(commands, command, columns, (syntax, args) => {
    if (command?.syntax === syntax) {
      chosen = { command, args: positional.restore(args) };
      // Words behind `--` may be another command's, as they are.
      if (!words.includes('--')) assertNoneEmpty(chosen);
    }
    // Else yargs goes on to make the help text, which takes as long as all of its reading.
    throw READ;
  });
  parser.fail((message, error) => {
    throw toUsageError(positional.text(message ?? error?.message ?? ''), command, commands, words);
  });
  try {
    await parser.parseAsync([...positional.words], {}, (_error, args, output) => {
      text = output;
      isDataWanted = args['help'] === true && args['json'] === true;
    });
  } catch (error) {
    if (error !== READ) throw error;
  }
  if (text !== '' && isDataWanted) return { kind: 'print', text: await formatHelpData(commands, command) };
  if (text !== '') return { kind: 'print', text: `${text}\n` };
  if (chosen === undefined) throw usageError('no command is named; see tickhaul --help');
  return { kind: 'run', ...chosen };
}

/** Help as JSON in one line. The modules are loaded here because other command lines do not need them. */
async function formatHelpData(
  commands: readonly CommandOutline[],
  command: Command | undefined,
): Promise<string> {
  const { describeCommand, describeProgram } = await import('../help/describe-command.js');
  const { formatDocument } = await import('../output/text/format-document.js');
  return formatDocument(command ? describeCommand(command) : describeProgram(commands), false);
}

/** `help download` is `--help download`. */
function withHelpFlag(words: readonly string[]): readonly string[] {
  const at = findFirstWord(words);
  return words[at] === HELP ? words.toSpliced(at, 1, '--help') : words;
}

/** @throws usage error for help about a command that doesn't exist: yargs prints the help of all. */
function assertKnownHelp(commands: readonly CommandOutline[], words: readonly string[]): void {
  if (!words.includes('--help') && !words.includes('-h')) return;
  const word = words[findFirstWord(words)];
  if (word === undefined || word === HELP || findNamedCommand(commands, words) !== undefined) return;
  throw usageError(`${formatUnknownCommand(word, commands)}; ${formatHelpHint(undefined)}`);
}

/** Stands for a word in the place of its first dash; no argument of a process can hold it. */
const DASH = '\0';

/**
 * What comes after `--` is positional, dashes or not: yargs would read `-x` there as a flag, or drop it, as it drops a
 * `-` anywhere. So the word `--` goes, and such a dash is another character while yargs reads.
 */
function keepPositional(words: readonly string[]): {
  readonly words: readonly string[];
  text(read: string): string;
  restore(args: CommandArgs): CommandArgs;
} {
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  const flags = words.slice(0, at).map((word) => (word === '-' ? DASH : word));
  const value = (read: unknown): unknown =>
    Array.isArray(read) ? read.map(value) : typeof read === 'string' ? read.replaceAll(DASH, '-') : read;
  return {
    words: [...flags, ...words.slice(at + 1).map((word) => word.replace(/^-/, DASH))],
    // Some of what yargs complains of, it writes as JSON.
    text: (read) => read.replaceAll(DASH, '-').replaceAll('\\u0000', '-'),
    restore: (args) => Object.fromEntries(Object.entries(args).map(([name, read]) => [name, value(read)])),
  };
}

/** @throws usage error for an argument of no letters: what a shell makes of a variable that isn't set. */
function assertNoneEmpty({ command, args }: { readonly command: Command; readonly args: CommandArgs }): void {
  for (const name of Object.keys(command.positionals ?? {})) {
    if ([args[name]].flat().includes('')) throw usageError(`<${name}> is empty; ${formatHelpHint(command)}`);
  }
}

/** Thrown to leave yargs once it has read a command line. */
const READ = Symbol('read');

/** @param loaded the one command that may be called, and whose own help may be asked for. */
function build(
  commands: readonly CommandOutline[],
  loaded: Command | undefined,
  columns: number,
  choose: (syntax: string, args: CommandArgs) => void,
): Argv {
  const parser = yargs()
    .scriptName('tickhaul')
    .locale('en')
    .usage('$0 <command>\n\nDownloads, verifies and converts day files of the Tardis.dev dataset service.')
    // --no-color is a flag of its own; symbols and days must stay the text that they are.
    .parserConfiguration({
      'boolean-negation': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .options(GLOBAL_FLAGS)
    .epilogue(`${examplesText(EXAMPLES)}\n\n${DOCS}`)
    .wrap(columns)
    .version(VERSION)
    .help()
    .strict()
    .exitProcess(false);
  // yargs warns of options with these names, so each part is set by itself.
  for (const [name, { alias = [], describe = '', group = '' }] of Object.entries(BUILT_IN_FLAGS))
    parser.alias(name, alias).describe(name, describe).group(name, group);
  // The others only take time where one is called.
  for (const { syntax, describe } of loaded ? [loaded] : commands) {
    const describeSelf = (sub: Argv): Argv => (loaded?.syntax === syntax ? defineCommand(sub, loaded) : sub);
    parser.command(syntax, describe, describeSelf, (args) => choose(syntax, args));
  }
  if (loaded === undefined) parser.command(HELP_OUTLINE.syntax, HELP_OUTLINE.describe);
  return parser;
}

function defineCommand(sub: Argv, command: Command): Argv {
  sub.usage(`$0 ${command.syntax}\n\n${capital(command.describe)}.`);
  // Said so that help shows no empty list as the default of one that takes several.
  for (const [name, positional] of Object.entries(command.positionals ?? {}))
    sub.positional(name, { default: undefined, ...positional });
  return sub.options(command.flags).epilogue(examplesText(command.examples));
}

/** Not as yargs lays them out: a command that is broken into several lines can't be copied. */
function examplesText(examples: CommandAction['examples']): string {
  const texts = examples.map(([line, what]) => `  # ${what}\n  ${line.replaceAll('$0', 'tickhaul')}`);
  return `Examples:\n${texts.join('\n')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
