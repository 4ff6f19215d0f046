import { readToggle } from '../../commands/arguments/read.js';
import { line, summaryObject } from '../../run/json.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { DOWNLOAD_FLAGS, DRY_RUN_FLAGS, PLAN_FLAGS, SYNC_FLAGS } from '../arguments/flags.js';
import { STORE_FLAGS } from '../arguments/folder-flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { askForSpaceOn } from '../ask.js';
import { noteTeller, reportRun, withStoreRequests } from '../session.js';
import { showPlan } from './plan.js';

export const sync: Action = {
  flags: {
    ...SYNC_FLAGS,
    ...STORE_FLAGS,
    ...DOWNLOAD_FLAGS,
    ...CONVERT_ON_ARRIVAL_FLAGS,
    ...DRY_RUN_FLAGS,
    ...PLAN_FLAGS,
  },
  examples: [
    ['$0 sync', 'the jobs of ./tickhaul.yaml, or of the one in the user’s config folder'],
    ['$0 sync --wait --timeout 6h --quiet', 'for cron: waits until yesterday is exported'],
    ['$0 sync --dry-run', 'what it would do, job by job'],
    ['$0 sync --job btc --max-duration 4h', 'one job, and no new file after four hours'],
  ],
  async run(args, cli) {
    if (readToggle(args, 'dry-run')) return withStoreRequests(args, cli, () => planOnly(args, cli));
    const { prepareSync } = await import('../../commands/sync.js');
    const run = prepareSync(args, cli);
    return reportRun(args, cli, (teller) => run({ ...teller, askForSpace: askForSpaceOn(args, cli) }));
  },
};

async function planOnly(args: Args, cli: Cli): Promise<number> {
  const { prepareSyncPlan } = await import('../../commands/sync.js');
  const run = prepareSyncPlan(args, cli);
  const summary = await run(noteTeller(args, cli), (shown) => showPlan(shown, args, cli));
  if (readToggle(args, 'json')) cli.stdout.write(line(summaryObject(summary)));
  return summary.exitCode;
}
