import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { createSpaceQuestion } from '../space-question.js';
import { planCommand } from './plan.js';

export const downloadCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.download),
  examples: [
    ['$0 download --frozen tickhaul.lock', 'download the same bytes again, as pinned by tickhaul lock'],
    [
      '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
      'one file; the first day of a month needs no key',
    ],
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
  async run(args, cli) {
    if (readBooleanFlag(args, 'dry-run')) return planCommand.run(args, cli);
    const { prepareDownload } = await import('../../operations/prepare-download.js');
    const run = await prepareDownload(args, cli);
    const askForSpace = createSpaceQuestion(readBooleanFlag(args, 'yes'), cli);
    return cli.output.report((observer) => run({ ...observer, askForSpace }));
  },
};
