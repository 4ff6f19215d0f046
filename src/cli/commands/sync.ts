import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { DOWNLOAD_FLAGS, SYNC_FLAGS } from '../arguments/flags.js';
import { STORE_FLAGS } from '../arguments/folder-flags.js';
import type { Action } from '../arguments/types.js';
import { askForSpaceOn } from '../ask.js';
import { reportRun } from '../session.js';

export const sync: Action = {
  flags: { ...SYNC_FLAGS, ...STORE_FLAGS, ...DOWNLOAD_FLAGS, ...CONVERT_ON_ARRIVAL_FLAGS },
  examples: [
    ['$0 sync', 'the jobs of ./tickhaul.yaml, or of the one in the user’s config folder'],
    ['$0 sync --wait --timeout 6h --quiet', 'for cron: waits until yesterday is exported'],
    ['$0 sync --job btc --max-duration 4h', 'one job, and no new file after four hours'],
  ],
  async run(args, cli) {
    const { prepareSync } = await import('../../commands/sync.js');
    const run = prepareSync(args, cli);
    return reportRun(args, cli, (teller) => run({ ...teller, askForSpace: askForSpaceOn(args, cli) }));
  },
};
