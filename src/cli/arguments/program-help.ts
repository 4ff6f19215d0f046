import { OUTPUT_FORMAT_LIST } from '../../base/output-format-names.js';
import { packagePath } from '../../base/packages.js';
import { wrapHanging } from '../output/text/width.js';
import type { CommandAction, CommandGroup, CommandOutline } from './command.js';
import { commandName, topicsOf } from './define-flags.js';

const PURPOSE = 'Downloads, verifies and converts day files of the Tardis.dev dataset service.';

/** The groups of commands, in the order of the help. */
export const GROUPS: readonly CommandGroup[] = [
  'Find',
  'Get',
  'Check',
  'Use',
  'Serve',
  'Many machines',
  'Account',
  'Other',
];

const FIRST_FILE = `One file, without a key:
  tickhaul download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01`;

/** The output of `tickhaul --help`: at most 60 lines of 80 columns. @param columns width of the text. */
export function formatProgramHelp(commands: readonly CommandOutline[], columns: number): string {
  const names = commands.map(commandName);
  const indent = ' '.repeat(Math.max(...names.map((name) => name.length)) + 4);
  const groups = GROUPS.map((group) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map((command) => {
        const name = `  ${commandName(command)}`.padEnd(indent.length);
        return name + wrapHanging(command.describe.split(' '), columns, indent).trimStart();
      });
    return `${group}:\n${lines.join('\n')}`;
  });
  const topics = ['Topics of tickhaul help <topic>:', Object.keys(topicsOf(commands)).join(', ')].join(' ');
  return [
    `tickhaul <command>\n\n${PURPOSE}`,
    ...groups,
    FIRST_FILE,
    `${wrapHanging(topics.split(' '), columns, '  ').trimStart()}
The flags of a command: tickhaul <command> -h, or --help for all of them
All pages: ${packagePath('docs/README.md')}
`,
  ].join('\n\n');
}

/** Formats examples without wrapping, unlike yargs, so that they can be copied. */
export function formatExamples(examples: CommandAction['examples']): string {
  const texts = examples.map(
    ([line, description]) => `  # ${description}\n  ${line.replaceAll('$0', 'tickhaul')}`,
  );
  return `Examples:\n${texts.join('\n')}`;
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
  return `${PURPOSE}

Usage: tickhaul <command>

${lines.join('\n')}

${FIRST_FILE}

All ${count} commands: tickhaul --help
The flags of one command: tickhaul <command> -h
`;
}
