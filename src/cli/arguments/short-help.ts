import { formatPairs } from '../output/text/table.js';
import { wrapHanging } from '../output/text/width.js';
import type { CommandDescription, FlagDescription } from './describe-command.js';

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
