import { readBooleanFlag } from '../../commands/arguments/read-arguments.js';
import { toJsonLine, toSummaryJson } from '../../run/json-events.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { STORE_FLAGS } from '../arguments/folder-flags.js';
import { DOWNLOAD_FLAGS, DRY_RUN_FLAGS, PLAN_FLAGS, SYNC_FLAGS } from '../arguments/run-flags.js';
import { noteTeller, reportRun, withStoreRequests } from '../session.js';
import { createSpaceQuestion } from '../space-question.js';
import { showPlan } from './plan.js';

export const syncCommand: CommandAction = {
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
    if (readBooleanFlag(args, 'dry-run')) return withStoreRequests(args, cli, () => planOnly(args, cli));
    const { prepareSync } = await import('../../commands/prepare-sync.js');
    const run = prepareSync(args, cli);
    return reportRun(args, cli, (teller) => run({ ...teller, askForSpace: createSpaceQuestion(args, cli) }));
  },
};

async function planOnly(args: CommandArgs, cli: CliHost): Promise<number> {
  const { prepareSyncPlan } = await import('../../commands/prepare-sync.js');
  const run = prepareSyncPlan(args, cli);
  const summary = await run(noteTeller(args, cli), (shown) => showPlan(shown, args, cli));
  if (readBooleanFlag(args, 'json')) cli.stdout.write(toJsonLine(toSummaryJson(summary)));
  return summary.exitCode;
}
