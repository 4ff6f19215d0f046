import { readBooleanFlag } from '../../commands/arguments/read-arguments.js';
import type { CommandAction } from '../arguments/command.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { SHARD_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import { EXCHANGE_POSITIONAL } from '../arguments/positionals.js';
import {
  DOWNLOAD_FLAGS,
  DRY_RUN_FLAGS,
  FAILURE_FLAGS,
  LIST_FLAGS,
  PLAN_FLAGS,
  SELECTION_FLAGS,
} from '../arguments/run-flags.js';
import { reportRun, withStoreRequests } from '../session.js';
import { createSpaceQuestion } from '../space-question.js';
import { planCommand } from './plan.js';

export const downloadCommand: CommandAction = {
  positionals: { exchange: EXCHANGE_POSITIONAL },
  flags: {
    ...SELECTION_FLAGS,
    ...SHARD_FLAGS,
    ...STORE_FLAGS,
    ...DOWNLOAD_FLAGS,
    ...CONVERT_ON_ARRIVAL_FLAGS,
    ...LIST_FLAGS,
    ...FAILURE_FLAGS,
    ...DRY_RUN_FLAGS,
    ...PLAN_FLAGS,
  },
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
    const { prepareDownload } = await import('../../commands/prepare-download.js');
    const run = await withStoreRequests(args, cli, () => prepareDownload(args, cli));
    return reportRun(args, cli, (observer) =>
      run({ ...observer, askForSpace: createSpaceQuestion(args, cli) }),
    );
  },
};
