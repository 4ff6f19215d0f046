import { type TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import type { Command, CommandAction, CommandOutline } from './command.js';
import { commandName, GLOBAL_FLAGS } from './define-flags.js';

/** The hint to a command's help. */
export function formatHelpHint(command: Command | undefined): string {
  return `see tickhaul ${command === undefined ? '' : `${commandName(command)} `}--help`;
}

/** Converts an error message of yargs (in English) to a usage error of one line, with a correction. */
export function toUsageError(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): TickhaulError {
  return usageError(`${describeProblem(message, command, commands, words)}; ${formatHelpHint(command)}`);
}

function describeProblem(
  message: string,
  command: Command | undefined,
  commands: readonly CommandOutline[],
  words: readonly string[],
): string {
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) {
    const flag = findTypedFlag(unknown, words);
    if (flag !== undefined) return formatUnknownFlag(flag, command);
    if (command === undefined) return formatUnknownCommand(unknown, commands);
    return `"${unknown}": one argument too many`;
  }
  const choice = /Argument: (.+), Given: (.+), Choices: (.+)/.exec(message);
  if (choice !== null) {
    const [, name = '', given, known] = choice;
    const argumentName = command?.positionals?.[name] === undefined ? `--${name}` : `<${name}>`;
    return `${argumentName}: ${given} is not one of ${known}`;
  }
  const flagWithoutValue = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (flagWithoutValue !== undefined)
    return `${findTypedFlag(flagWithoutValue, words) ?? `--${flagWithoutValue}`} needs a value`;
  if (message.startsWith('Not enough non-option arguments') && command !== undefined) {
    const known = listFlags(command);
    const flag = words.map(withoutValue).find((word) => word.startsWith('--') && !known.includes(word));
    if (flag !== undefined) return formatUnknownFlag(flag, command);
    return `an argument is missing: tickhaul ${command.syntax}${listChoices(command)}`;
  }
  return message.replace(/\s*\n\s*/g, ' ');
}

/** The values of positionals with fixed choices: `; <target> is one of …`. */
function listChoices({ positionals = {} }: Command): string {
  return Object.entries(positionals)
    .map(([name, { choices }]) => (choices ? `; <${name}> is one of ${choices.join(', ')}` : ''))
    .join('');
}

/** An unknown command, with the nearest known ones. */
export function formatUnknownCommand(word: string, commands: readonly CommandOutline[]): string {
  return `unknown command ${formatUnknownWord(word, commands.map(commandName))}`;
}

/** An unknown word in quotes, with the nearest known ones. */
export function formatUnknownWord(word: string, known: readonly string[]): string {
  return `"${word.replaceAll('"', '')}"${didYouMean(word, known)}`;
}

function formatUnknownFlag(flag: string, command: Command | undefined): string {
  const known = listFlags(command);
  if (flag === '-o' && known.includes('--dir'))
    return '-o names what is written; the folder that is read is --dir';
  const synonym = command && findFlagSynonym(flag, command, known);
  return `unknown flag ${flag}${synonym ?? didYouMean(flag, known)}`;
}

/** A flag without the value after `=`. */
function withoutValue(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** A flag as typed; undefined if the name is not a flag. */
function findTypedFlag(name: string, words: readonly string[]): string | undefined {
  return words
    .map(withoutValue)
    .find((word) => word === `--${name}` || (/^-\w+$/.test(word) && word.includes(name)));
}

function listFlags(command: Command | undefined): readonly string[] {
  return ['help', 'version', ...Object.keys({ ...GLOBAL_FLAGS, ...command?.flags })].map(
    (name) => `--${name}`,
  );
}

/**
 * Flag names of other tools, with the flags of tickhaul that they may correspond to, best first. `<name>` is a
 * positional argument.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...synonyms('start begin since from-date start-date date-from starting', '--from'),
  ...synonyms('end until to-date end-date date-to stop ending', '--to'),
  ...synonyms('day', '--date', '--on'),
  ...synonyms('last-days', '--last'),
  ...synonyms(
    'symbols pair pairs instrument instruments market markets ticker tickers coin coins',
    '--symbol',
    '<symbol>',
  ),
  ...synonyms('types data-type data-types datatype datatypes dataset datasets kind kinds', '--type'),
  ...synonyms('channels', '--channel'),
  ...synonyms('exchange exchanges venue source-exchange', '--exchange', '<exchange>'),
  ...synonyms(
    'output-dir outdir out-dir output-folder dest destination target-dir save-to',
    '--out',
    '--dir',
    '<folder>',
  ),
  ...synonyms('folder directory download-dir input-dir dir', '--dir', '--out', '<folder>'),
  ...synonyms('output output-path outfile out-file output-file out', '--out', '--dir'),
  ...synonyms('input in infile input-file file files path paths', '<path>', '<file>', '<folder>'),
  ...synonyms(
    'threads workers parallel parallelism processes connections max-concurrency concurrency',
    '--jobs',
    '--concurrency',
  ),
  ...synonyms('jobs', '--job', '--concurrency'),
  ...synonyms('format output-format to-format', '--convert', '--format'),
  ...synonyms('parquet to-parquet', '--convert parquet', '--format parquet'),
  ...synonyms('ndjson jsonl to-ndjson', '--convert ndjson', '--format ndjson'),
  ...synonyms('arrow feather ipc to-arrow', '--convert arrow', '--format arrow'),
  ...synonyms('csv to-csv', '--convert csv', '--format csv'),
  ...synonyms('compress compressor codec', '--compression'),
  ...synonyms('bars bar candles candle ohlc ohlcv timeframe resample', '--as'),
  ...synonyms('ffill fill-gaps fill-missing', '--fill'),
  ...synonyms('force overwrite clobber redownload', '--existing overwrite'),
  ...synonyms('skip-existing no-clobber', '--existing skip'),
  ...synonyms('dryrun dry simulate plan-only what-if', '--dry-run'),
  ...synonyms('silent', '--quiet'),
  ...synonyms('debug trace', '--verbose'),
  ...synonyms('max-retries max-attempts retry tries attempts', '--retries'),
  ...synonyms('timeout read-timeout idle-timeout socket-timeout', '--stall-timeout'),
  ...synonyms('limit-rate rate-limit bandwidth throttle bwlimit max-speed', '--max-rate'),
  ...synonyms('assume-yes no-confirm non-interactive', '--yes'),
  ...synonyms('cache cache-folder', '--cache-dir'),
  ...synonyms('config-file conf settings', '--config'),
  ...synonyms('mail e-mail user username', '--email'),
  ...synonyms('url base-url host endpoint', '--api-url'),
  ...synonyms('endpoint-url aws-endpoint', '--s3-endpoint'),
  ...synonyms('region aws-region', '--s3-region'),
};

/** Usual names of flags with a secret. */
const SECRET_NAME = /^(api-?)?(key|token|secret)$|^(auth|bearer|password|auth-?token|access-?token)$/;
const SECRET_ADVICE =
  "other users see a process's arguments, so set TICKHAUL_API_KEY, or name a file with --api-key-file";

function synonyms(words: string, ...flags: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, flags]));
}

/**
 * The hint for an unknown flag that another tool has.
 * @param flag as typed: `--dataTypes`.
 * @param command the command with its positionals. @param known long names of its flags and of the global flags.
 * @returns text to append to the error: the corresponding flag, or an empty text if the command has none; undefined for
 * a name that is not in the table.
 */
function findFlagSynonym(
  flag: string,
  command: Pick<CommandAction, 'positionals'> & { readonly syntax: string },
  known: readonly string[],
): string | undefined {
  const word = normalizeName(flag);
  if (SECRET_NAME.test(word)) return `; ${SECRET_ADVICE}`;
  if (!Object.hasOwn(SYNONYMS, word)) return undefined;
  for (const name of SYNONYMS[word] ?? []) {
    const [long = ''] = name.split(' ', 1);
    if (known.includes(long)) return `; did you mean ${name}?`;
    if (Object.keys(command.positionals ?? {}).includes(name.slice(1, -1)))
      return `; ${name} is given without a flag: tickhaul ${command.syntax}`;
  }
  return '';
}

/** Normalizes a name: `--dataTypes`, `--data_types` and `--data-types` are the same. */
function normalizeName(flag: string): string {
  return flag
    .replace(/^-+/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
