import { COMMAND_OPTIONS, PLANNED_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';
import { createSpaceQuestion } from '../space-question.js';
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
