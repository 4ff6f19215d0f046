import { readToggle } from '../../commands/arguments/read.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import {
  DOWNLOAD_FLAGS,
  DRY_RUN_FLAGS,
  FAILURE_FLAGS,
  LIST_FLAGS,
  PLAN_FLAGS,
  SELECTION_FLAGS,
} from '../arguments/flags.js';
import { SHARD_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import { EXCHANGE } from '../arguments/positionals.js';
import type { Action } from '../arguments/types.js';
import { askForSpaceOn } from '../ask.js';
import { reportRun, withStoreRequests } from '../session.js';
import { plan } from './plan.js';

export const download: Action = {
  positionals: { exchange: EXCHANGE },
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
    ['$0 download --frozen tickhaul.lock', 'the very same bytes again, as tickhaul lock pinned them'],
    [
      '$0 download deribit -t trades -s BTC-PERPETUAL --date 2024-03-01',
      'one file; the first day of a month needs no key',
    ],
    [
      '$0 download binance-futures -t trades,quotes -s "BTC*" --last 7d',
      'the last week, for every symbol of the glob',
    ],
    [
      '$0 download deribit -t all -s @symbols.txt --from 2024-03-01 -o data',
      'a list of symbols, up to the newest day',
    ],
    [
      '$0 download deribit -t trades -s all --last 1d --convert parquet',
      'a .parquet beside each file, made while its bytes arrive',
    ],
  ],
  async run(args, cli) {
    if (readToggle(args, 'dry-run')) return plan.run(args, cli);
    const { prepareDownload } = await import('../../commands/download.js');
    const run = await withStoreRequests(args, cli, () => prepareDownload(args, cli));
    return reportRun(args, cli, (teller) => run({ ...teller, askForSpace: askForSpaceOn(args, cli) }));
  },
};
