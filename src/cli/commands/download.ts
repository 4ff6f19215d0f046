import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { abortReason } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { COMMAND_OPTIONS, PLANNED_OPTIONS } from '../../options/command-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';
import { showPlanOf } from './plan.js';

export const downloadCommand = defineCommand(
  COMMAND_OPTIONS.download,
  {
    examples: [
      [
        '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
        'one file; the first day of a month needs no key',
      ],
      ['$0 download --frozen tickhaul.lock', 'download the same bytes again, as pinned by tickhaul lock'],
      [
        '$0 download binance-futures -t trades,quotes -s "BTC*" --last 7d',
        'the last seven days of all symbols that match the glob',
      ],
      [
        '$0 download deribit -t all -s @symbols.txt --from 2024-03-01 -o data',
        'the symbols of a file, up to the newest day',
      ],
      [
        '$0 download deribit -t trades -s all --last 1d --convert parquet',
        'convert each file to Parquet on arrival',
      ],
    ],
    async run(options, cli) {
      if (options.dryRun) return showPlanOf(options, cli);
      const { runDownload } = await import('../../operations/download.js');
      const askForSpace = () => createSpaceQuestion(options.yes, cli);
      return runOperation(runDownload, options, cli, { askForSpace });
    },
  },
  PLANNED_OPTIONS,
);

/**
 * Asks whether to continue if the disk is too small. Undefined without a terminal, or with `--yes`, `--json` or
 * `--quiet`; the run then only warns.
 */
export function createSpaceQuestion(
  yes: boolean,
  cli: CliHost,
): ((shortage: string) => Promise<boolean>) | undefined {
  const { stdin, stderr, output } = cli;
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
  // stdin has ended if the API key or a list was read from it.
  if (!isTerminal || stdin.readableEnded) return undefined;
  if (yes || output.json || output.quiet) return undefined;
  return (shortage) => ask(`${sanitizeForTerminal(shortage)}.\nContinue? [y/N] `, cli);
}

/** Whether the answer is yes; the end of stdin is no. @throws the reason of an abort. */
async function ask(question: string, { stdin, stderr, signal }: CliHost): Promise<boolean> {
  // The terminal echoes and edits the line.
  const reader = createInterface({ input: stdin, terminal: false });
  try {
    const answer = Promise.race([once(reader, 'line', { signal }), once(reader, 'close', { signal })]);
    stderr.write(question);
    const [line] = await answer;
    return /^\s*y(es)?\s*$/i.test(String(line ?? ''));
  } catch (error) {
    // The reason is printed on a separate line.
    stderr.write('\n');
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    reader.close();
  }
}
