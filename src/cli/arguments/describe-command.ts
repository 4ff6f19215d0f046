import type { Options } from 'yargs';
import type { ERROR_TABLE, ErrorCode } from '../../base/errors.js';
import { VERSION } from '../../base/packages.js';
import type { OptionGroup } from '../../options/option-definition.js';
import { formatPairs } from '../output/text/table.js';
import { wrapHanging } from '../output/text/width.js';
import type { Command, CommandOutline, Flags, HelpTerms } from './command.js';
import { BUILT_IN_FLAGS, commandName, GLOBAL_FLAGS, topicsOf } from './define-flags.js';

/** A positional argument of a command. */
interface ArgumentDescription {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether it takes several values. */
  readonly repeated: boolean;
  readonly choices?: readonly string[];
}

/** A flag, by its long name without dashes. */
interface FlagDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  /** `boolean` flags have no value. */
  readonly type: string;
  readonly description: string;
  /** Heading of the help that lists the flag. */
  readonly group: string;
  /** Only if the definition states it as a value; many descriptions state it as text. */
  readonly default?: unknown;
  readonly choices?: readonly string[];
  /** The command whose help describes it, if the help of this one only names it. */
  readonly describedBy?: string;
}

/** A command as `help <command> --json` prints it. */
export interface CommandDescription {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDescription[];
  readonly flags: readonly FlagDescription[];
  readonly globalFlags: readonly FlagDescription[];
  /** Names that the help explains, such as those of checks. */
  readonly terms?: HelpTerms;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
  readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
  /** Set if the command can end with codes of another program. */
  readonly exitCodeNote?: string;
}

/** A command in the list of all. */
interface OutlineDescription extends Pick<CommandDescription, 'name' | 'usage' | 'description'> {
  /** Heading of the help that lists the command. */
  readonly group: string;
}

/** All commands as `help --json` prints them. */
export interface ProgramDescription {
  readonly name: string;
  readonly version: string;
  readonly commands: readonly OutlineDescription[];
  readonly topics: readonly { readonly name: string; readonly description: string; readonly page: string }[];
  readonly globalFlags: readonly FlagDescription[];
  readonly exitCodes: CommandDescription['exitCodes'];
}

const PROGRAM = 'tickhaul';

/** Turns the outlines of all commands into plain data, without loading their code. */
export function describeProgram(commands: readonly CommandOutline[]): ProgramDescription {
  return {
    name: PROGRAM,
    version: VERSION,
    commands: commands.map((outline) => ({ ...describeOutline(outline), group: outline.group })),
    topics: Object.entries(topicsOf(commands)).map(([name, topic]) => ({
      name,
      description: topic.describe,
      page: topic.page,
    })),
    globalFlags: describeGlobalFlags(),
    exitCodes: describeExitCodes(ALL_EXIT_CODES),
  };
}

/** Turns the definition of a command into plain data. */
export function describeCommand(command: Command): CommandDescription {
  const { codes, note } = listExitCodes(commandName(command));
  return {
    ...describeOutline(command),
    arguments: describeArguments(command),
    flags: describeFlags(command.flags, command.options),
    globalFlags: describeGlobalFlags(),
    ...(command.terms && { terms: command.terms }),
    examples: command.examples.map(([line, description]) => ({
      command: line.replaceAll('$0', PROGRAM),
      description,
    })),
    exitCodes: describeExitCodes(codes),
    ...(note === undefined ? {} : { exitCodeNote: note }),
  };
}

function describeOutline(
  outline: CommandOutline,
): Pick<CommandDescription, 'name' | 'usage' | 'description'> {
  const { syntax, describe: description } = outline;
  return { name: commandName(outline), usage: `${PROGRAM} ${syntax}`, description };
}

/** The syntax says which arguments there are: `<required>`, `[optional]`, `<repeated..>`. */
function describeArguments({ syntax, positionals = {} }: Command): readonly ArgumentDescription[] {
  return [...syntax.matchAll(/([<[])([\w-]+)(\.\.)?/g)].map(([, bracket, name = '', dots]) => ({
    name,
    description: positionals[name]?.describe ?? '',
    required: bracket === '<',
    repeated: dots !== undefined,
    ...describeChoices(positionals[name]?.choices),
  }));
}

function describeGlobalFlags(): readonly FlagDescription[] {
  return describeFlags({ ...GLOBAL_FLAGS, ...BUILT_IN_FLAGS });
}

function describeFlags(flags: Flags, options: OptionGroup = {}): readonly FlagDescription[] {
  return Object.entries(flags).map(([name, flag]) => ({
    name,
    aliases: [flag.alias ?? []].flat(),
    type: flag.type ?? 'string',
    description: flag.describe ?? '',
    group: (flag.group ?? '').replace(/:$/, ''),
    ...('default' in flag ? { default: flag.default } : {}),
    ...describeChoices(flag.choices),
    ...(options[name]?.describedBy && { describedBy: options[name].describedBy }),
  }));
}

function describeChoices(choices: Options['choices']): { readonly choices?: readonly string[] } {
  return choices === undefined ? {} : { choices: choices.map(String) };
}

function describeExitCodes(codes: readonly ExitCode[]): CommandDescription['exitCodes'] {
  return codes.map((code) => ({ code, meaning: EXIT_CODES[code] }));
}

/** A code that a process of the command can end with. */
type ExitCode = 0 | (typeof ERROR_TABLE)[ErrorCode]['exitCode'];

/** What each exit code means in every command. docs/reference/exit-codes.md says what to do. */
export const EXIT_CODES: Readonly<Record<ExitCode, string>> = {
  0: 'done, or nothing left to do',
  1: 'a bug in tickhaul',
  2: 'wrong usage or configuration',
  3: 'rejected, or failed for several reasons',
  4: 'not authorized by the service, the object store or the queue',
  5: 'service, object store or queue unreachable or temporarily unavailable, or out of time',
  6: 'corrupt, changed or missing data',
  7: 'not exported or not available, if that was required',
  8: 'disk or object store full, unreadable or not writable',
  9: 'another run or process holds the lock',
  10: 'an audit found what --fail-on names',
  130: 'interrupted by SIGINT',
  143: 'terminated by SIGTERM',
};

export const ALL_EXIT_CODES = Object.keys(EXIT_CODES).map(Number) as readonly ExitCode[];

const LOCAL: readonly ExitCode[] = [0, 1, 2, 8, 130, 143];
/** Of commands of the queue. Files that fail count against their slice, not against the worker. */
const QUEUE: readonly ExitCode[] = [...LOCAL, 3, 4, 5];
/** Of commands that read data files or a manifest: on disk, or in an object store with its own failures. */
const FILES: readonly ExitCode[] = [...QUEUE, 6];
/** Of commands that send requests to the service. */
const SERVICE: readonly ExitCode[] = [...FILES, 7];
const SERVICE_WITH_LOCK: readonly ExitCode[] = [...SERVICE, 9];

const BY_COMMAND: Readonly<Record<string, readonly ExitCode[]>> = {
  exchanges: SERVICE,
  symbols: SERVICE,
  instruments: SERVICE,
  status: SERVICE,
  plan: SERVICE,
  download: SERVICE_WITH_LOCK,
  sync: SERVICE_WITH_LOCK,
  enqueue: SERVICE,
  worker: QUEUE,
  queue: QUEUE,
  verify: SERVICE_WITH_LOCK,
  audit: [...SERVICE, 10],
  coverage: SERVICE,
  lock: SERVICE,
  manifest: FILES,
  convert: SERVICE_WITH_LOCK,
  export: SERVICE_WITH_LOCK,
  views: SERVICE,
  replay: SERVICE_WITH_LOCK,
  serve: FILES,
  stream: SERVICE,
  inspect: FILES,
  login: SERVICE_WITH_LOCK,
  logout: [...LOCAL, 9],
  account: SERVICE_WITH_LOCK,
  key: SERVICE,
  sandbox: LOCAL,
  demo: SERVICE_WITH_LOCK,
  completion: LOCAL,
  version: LOCAL,
  help: LOCAL,
};

const NOTES: Readonly<Record<string, string>> = {
  sandbox: 'with a command, the exit code is that of the command',
};

/**
 * The exit codes of a command in ascending order, with a note if other codes are possible.
 * @throws Error for a command that the table lacks.
 */
function listExitCodes(name: string): {
  readonly codes: readonly ExitCode[];
  readonly note: string | undefined;
} {
  const codes = BY_COMMAND[name];
  if (codes === undefined) throw new Error(`${name}: no exit codes are listed in describe-command.ts`);
  return { codes: codes.toSorted((a, b) => a - b), note: NOTES[name] };
}

/** The flags of most uses, in all commands. */
const COMMON_FLAGS: ReadonlySet<string> = new Set([
  ...['type', 'symbol', 'from', 'to', 'date', 'last', 'dir', 'out', 'source', 'channel'],
  ...['convert', 'format', 'as', 'dry-run', 'wait', 'job', 'quick', 'repair', 'fail-on', 'html'],
  ...['queue', 'email', 'port', 'host', 'rows', 'seed', 'fault'],
]);

/** Commands with fewer flags describe all of them, and have two examples. */
const MANY_FLAGS = 8;

/**
 * The output of `<command> -h`: at most 40 lines of 80 columns. Flags that it does not describe are named in a line for
 * each group.
 * @param columns width of the text. @param isWhole describes all flags.
 */
export function formatShortHelp(command: CommandDescription, columns: number, isWhole: boolean): string {
  const { name, usage, description, flags, globalFlags } = command;
  const all = [...flags, ...globalFlags];
  const described = isWhole ? all : selectFlags(flags);
  const others = all.filter((flag) => !described.includes(flag));
  const titles = [...new Set(others.map(titleOf))];
  const lines = titles.map((title) => {
    const names = others.filter((flag) => titleOf(flag) === title).map((flag) => `--${flag.name}`);
    return cutList(`  ${title}: ${names.join(', ')}`, columns);
  });
  const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
  const positionals = command.arguments.map((argument) => [argument.name, describe(argument)] as const);
  const examples = command.examples
    .slice(0, flags.length < MANY_FLAGS ? 2 : 1)
    .map((example) => `\n  # ${example.description}\n  ${example.command}`);
  const blocks = [
    usage,
    wrapHanging(sentence.split(' '), columns, ''),
    ...formatList('Positionals', positionals, columns),
    ...formatList(
      'Flags',
      described.map((flag) => [formatNames(flag), describe(flag)]),
      columns,
    ),
    ...(lines.length === 0 ? [] : [`More flags, described by tickhaul ${name} --help:\n${lines.join('\n')}`]),
    `Examples:${examples.join('')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function selectFlags(flags: readonly FlagDescription[]): readonly FlagDescription[] {
  return flags.length < MANY_FLAGS
    ? flags
    : flags.filter(({ name, describedBy }) => COMMON_FLAGS.has(name) && describedBy === undefined);
}

function formatList(
  title: string,
  pairs: readonly (readonly [string, string])[],
  columns: number,
): readonly string[] {
  if (pairs.length === 0) return [];
  const lines = formatPairs(pairs, columns - 2)
    .trimEnd()
    .split('\n');
  return [`${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`];
}

function formatNames({ name, aliases }: FlagDescription): string {
  const short = aliases.filter((alias) => alias.length === 1).map((alias) => `-${alias}, `);
  return `${short.join('').padStart(4)}--${name}`;
}

function describe({ description, choices }: Pick<FlagDescription, 'description' | 'choices'>): string {
  return choices === undefined ? description : `${description} [${choices.join(', ')}]`;
}

/** What the line with a flag's name begins with: its group, or the help that describes it. */
function titleOf({ group, describedBy }: FlagDescription): string {
  return describedBy === undefined ? group : `tickhaul help ${describedBy}`;
}

/** A list that is cut after the last value that fits. */
function cutList(line: string, columns: number): string {
  if (line.length <= columns) return line;
  return `${line.slice(0, line.lastIndexOf(', ', columns - ', …'.length))}, …`;
}
