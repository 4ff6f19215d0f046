import yargs, { type Argv } from 'yargs';
import { usageError } from '../../base/errors.js';
import { VERSION } from '../../base/packages.js';
import { wrapHanging } from '../output/text/width.js';
import type { Command, CommandArgs, CommandOutline } from './command.js';
import { BUILT_IN_FLAGS, commandName, GLOBAL_FLAGS, HELP, topicsOf } from './define-flags.js';
import { formatExamples, formatProgramHelp } from './program-help.js';
import { findNamedCommand, hasSwitch, readWords } from './typed-words.js';
import { formatHelpHint, formatUnknownCommand, formatUnknownWord, toUsageError } from './usage-errors.js';

/** Result of a command line: text to print (help, version), or a command to run. */
export type ParsedCommandLine =
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'run'; readonly command: Command; readonly args: CommandArgs };

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
  const words = withHelpFlag(commands, typed);
  assertKnownHelp(commands, words);
  let selected: { command: Command; args: CommandArgs } | undefined;
  let text = '';
  let isHelpWanted = false;
  let isDataWanted = false;
  let isVersionWanted = false;
  const outline = findNamedCommand(commands, words);
  const command = outline && { ...outline, ...(await outline.load()) };
  // yargs takes longer to build its text, which would not be printed.
  if (command === undefined && hasSwitch(words, 'help'))
    return { kind: 'print', text: await formatHelp(commands, columns, hasSwitch(words, 'json')) };
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
      isHelpWanted = args['help'] === true;
      isDataWanted = isHelpWanted && args['json'] === true;
      isVersionWanted = args['version'] === true && !isHelpWanted;
    });
  } catch (error) {
    if (error !== PARSED) throw error;
  }
  // Other programs print more with -v: the version in place of the command would look like success.
  if (isVersionWanted && command && commandName(command) !== 'version' && !words.includes('--version'))
    throw usageError('-v after a command: use --verbose to print each request, or tickhaul --version');
  if (text !== '' && isHelpWanted && command === undefined)
    return { kind: 'print', text: await formatHelp(commands, columns, isDataWanted) };
  if (text !== '' && isDataWanted) return { kind: 'print', text: await formatHelpData(commands, command) };
  // Words after `--` may belong to another command.
  const isWhole = words.slice(0, [...words, '--'].indexOf('--')).some((word) => word.startsWith('--help'));
  // yargs has no help of `help`, a word that it reads as a flag.
  if (text !== '' && isHelpWanted && command && (!isWhole || commandName(command) === HELP))
    return { kind: 'print', text: await formatShortHelp(command, columns, isWhole) };
  if (text !== '') return { kind: 'print', text: `${text}\n` };
  if (selected === undefined) throw usageError('no command given; see tickhaul --help');
  return { kind: 'run', ...selected };
}

/** The help without a command. */
async function formatHelp(
  commands: readonly CommandOutline[],
  columns: number,
  isData: boolean,
): Promise<string> {
  return isData ? formatHelpData(commands, undefined) : formatProgramHelp(commands, columns);
}

/** Help as JSON in one line. The modules are loaded here because other command lines do not need them. */
async function formatHelpData(
  commands: readonly CommandOutline[],
  command: Command | undefined,
): Promise<string> {
  const { describeCommand, describeProgram } = await import('./describe-command.js');
  const { toJsonLine } = await import('../../events/json-events.js');
  return toJsonLine(command ? describeCommand(command) : describeProgram(commands));
}

async function formatShortHelp(command: Command, columns: number, isWhole: boolean): Promise<string> {
  const { describeCommand, formatShortHelp: format } = await import('./describe-command.js');
  return format(describeCommand(command), columns, isWhole);
}

/**
 * `help download` is `download --help`, and `help` alone `--help`. With another word, it stays the command that prints
 * a topic.
 */
function withHelpFlag(commands: readonly CommandOutline[], words: readonly string[]): readonly string[] {
  const { firstAt: at, positionals } = readWords(words);
  if (words[at] !== HELP) return words;
  const [, name] = positionals;
  const isFlag =
    name === undefined
      ? !hasSwitch(words, 'help')
      : commands.some((outline) => commandName(outline) === name);
  return isFlag ? words.toSpliced(at, 1, '--help') : words;
}

/** @throws usage error for help about an unknown command or topic, for which yargs would print the general help. */
function assertKnownHelp(commands: readonly CommandOutline[], words: readonly string[]): void {
  const { positionals } = readWords(words);
  const [word, topic] = positionals;
  const topics = Object.keys(topicsOf(commands));
  const known = [...commands.map(commandName), ...topics];
  if (word === HELP && topic === '') throw usageError('<topic> is empty; see tickhaul help');
  if (word === HELP && topic !== undefined && !known.includes(topic))
    throw usageError(`unknown command or topic ${formatUnknownWord(topic, known)}; see tickhaul help`);
  if (!hasSwitch(words, 'help')) return;
  if (word === undefined || findNamedCommand(commands, words) !== undefined) return;
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
    // --no-color is a separate flag; symbols and days must remain strings.
    .parserConfiguration({
      'boolean-negation': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .options(GLOBAL_FLAGS)
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
    const describeSelf = (sub: Argv): Argv =>
      loaded?.syntax === syntax ? defineCommand(sub, loaded, columns) : sub;
    parser.command(syntax, describe, describeSelf, (args) => onSelected(syntax, args));
  }
  return parser;
}

function defineCommand(sub: Argv, command: Command, columns: number): Argv {
  sub.usage(`$0 ${command.syntax}\n\n${capitalize(command.describe)}.`);
  // A default of undefined keeps the help from showing [default: []] for lists.
  for (const [name, positional] of Object.entries(command.positionals ?? {}))
    sub.positional(name, { default: undefined, ...positional });
  const parts = [
    formatTerms(command.terms),
    ...listFlagsOfOthers(command, columns),
    formatExamples(command.examples),
  ].filter(Boolean);
  return sub.options(command.flags).epilogue(parts.join('\n\n'));
}

function formatTerms(terms: Command['terms']): string {
  if (!terms) return '';
  const width = Math.max(...terms.meanings.map(([name]) => name.length));
  const lines = terms.meanings.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
  return `${terms.heading}:\n${lines.join('\n')}`;
}

/** The flags that the help of another command describes, in a line for each of their groups. */
function listFlagsOfOthers({ options }: Command, columns: number): readonly string[] {
  const flags = Object.entries(options).filter(([, { describedBy }]) => describedBy !== undefined);
  return [...new Set(flags.map(([, { describedBy }]) => describedBy))].map((name) => {
    const own = flags.filter(([, { describedBy }]) => describedBy === name);
    const lines = [...new Set(own.map(([, { heading }]) => heading))].map((group) => {
      const names = own.filter(([, { heading }]) => heading === group).map(([flag]) => `--${flag}`);
      // The first line is less indented.
      return wrapHanging([String(group), ...names.join(', ').split(' ')], columns, '    ').slice(2);
    });
    return `More flags, which tickhaul help ${name} describes:\n${lines.join('\n')}`;
  });
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
