import yargs, { type Argv } from 'yargs';
import { didYouMean } from '../dataset/nearest.js';
import { type TickhaulError, usageError } from '../errors.js';
import { VERSION } from '../version.js';
import { GLOBAL_FLAGS } from './flags.js';
import { type Args, type Command, nameOf } from './types.js';

/** What a command line asks for: text to print (help, version, completions), or a command to run. */
export type Parsed =
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'run'; readonly command: Command; readonly args: Args };

const DOCS = 'Exit codes, every flag, cron and CI recipes: see the README that ships with tickhaul.';

/**
 * Reads a command line.
 * @param words without node and script. @param columns width for help texts.
 * @throws usage error, in one line, for an unknown command or flag or a missing argument.
 */
export async function parse(
  commands: readonly Command[],
  words: readonly string[],
  columns: number,
): Promise<Parsed> {
  let chosen: { command: Command; args: Args } | undefined;
  let text = '';
  const parser = build(commands, columns, (command, args) => {
    chosen = { command, args };
  });
  parser.fail((message, error) => {
    throw explain(message ?? error?.message ?? '', commands, words);
  });
  await parser.parseAsync([...words], {}, (_error, _args, output) => {
    text = output;
  });
  return chosen === undefined || text !== ''
    ? { kind: 'print', text: `${text}\n` }
    : { kind: 'run', ...chosen };
}

/** The help of the whole program. */
export async function helpText(commands: readonly Command[], columns: number): Promise<string> {
  return `${await build(commands, columns, () => {}).getHelp()}\n`;
}

function build(
  commands: readonly Command[],
  columns: number,
  choose: (command: Command, args: Args) => void,
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
    .example('$0 demo', 'see it work, without a key or a network')
    .example(
      '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
      'first days of months need no key',
    )
    .epilogue(DOCS)
    .wrap(columns)
    .version(VERSION)
    .alias('version', 'V')
    .help()
    .alias('help', 'h')
    .group(['help', 'version'], 'Everywhere:')
    .strict()
    .exitProcess(false);
  for (const command of commands) {
    parser.command(
      command.syntax,
      command.describe,
      (sub) => describeCommand(sub, command),
      (args) => choose(command, args),
    );
  }
  return parser;
}

function describeCommand(sub: Argv, command: Command): Argv {
  sub.usage(`$0 ${command.syntax}\n\n${capital(command.describe)}.`).options(command.flags);
  for (const [name, positional] of Object.entries(command.positionals ?? {}))
    sub.positional(name, positional);
  for (const [line, what] of command.examples) sub.example(line, what);
  return sub;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Says in one line what yargs found wrong (its English texts), and what would be right. */
function explain(message: string, commands: readonly Command[], words: readonly string[]): TickhaulError {
  const command = commandOf(commands, words);
  const see = `see tickhaul ${command === undefined ? '' : `${nameOf(command)} `}--help`;
  return usageError(`${complaint(message, command, commands, words)}; ${see}`);
}

function complaint(
  message: string,
  command: Command | undefined,
  commands: readonly Command[],
  words: readonly string[],
): string {
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) {
    const flag = flagWord(unknown, words);
    if (flag !== undefined) return `unknown flag ${flag}${didYouMean(flag, flagWords(command))}`;
    if (command === undefined)
      return `unknown command "${unknown}"${didYouMean(unknown, commands.map(nameOf))}`;
    return `"${unknown}" is one argument too many`;
  }
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null) return `--${choice[1]}: ${choice[2]} is not one of ${choice[3]}`;
  const lacking = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (lacking !== undefined) return `${flagWord(lacking, words) ?? `--${lacking}`} needs a value`;
  if (message.startsWith('Not enough non-option arguments') && command !== undefined) {
    return `an argument is missing: tickhaul ${command.syntax}`;
  }
  return message.replace(/\s*\n\s*/g, ' ');
}

/** The command that the words name, were they right or not. */
export function commandOf(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find((command) => words.includes(nameOf(command)));
}

/** A flag as it was typed; undefined where the name was no flag. */
function flagWord(name: string, words: readonly string[]): string | undefined {
  return words
    .map((word) => word.replace(/=.*$/s, ''))
    .find((word) => word === `--${name}` || (/^-\w+$/.test(word) && word.includes(name)));
}

function flagWords(command: Command | undefined): readonly string[] {
  return ['help', 'version', ...Object.keys({ ...GLOBAL_FLAGS, ...command?.flags })].map(
    (name) => `--${name}`,
  );
}
