import { OUTPUT_FORMAT_LIST } from '../../base/output-format-names.js';

/** Commands for a start, with descriptions. */
const COMMANDS: readonly (readonly [string, string])[] = [
  ['demo', 'see it work, without a key or a network'],
  ['symbols', 'list the symbols of an exchange, with data types and days'],
  ['download', 'download and verify day files'],
  ['convert', `convert day files to ${OUTPUT_FORMAT_LIST}`],
  ['replay', "print a period's messages as JSON lines"],
];

/** The output of `tickhaul` without arguments: 24 lines of 80 columns. @param count number of commands. */
export function createFirstScreen(count: number): string {
  const lines = COMMANDS.map(([name, description]) => `  tickhaul ${name.padEnd(10)}${description}`);
  return `Downloads, verifies and converts day files of the Tardis.dev dataset service.

Usage: tickhaul <command>

${lines.join('\n')}

One file, without a key:
  tickhaul download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01

All ${count} commands: tickhaul --help
The flags of one command: tickhaul help <command>
`;
}
