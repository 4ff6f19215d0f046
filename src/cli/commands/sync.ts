import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { createSpaceQuestion } from '../space-question.js';
import { finishPlan, showPlan } from './plan.js';

export const syncCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.sync),
  examples: [
    ['$0 sync', 'run the jobs of ./tickhaul.yaml, or of the file in the user’s config folder'],
    ['$0 sync --wait --timeout 6h --quiet', 'for cron: wait until yesterday is exported'],
    ['$0 sync --dry-run', 'plan each job'],
    ['$0 sync --job btc --max-duration 4h', 'run one job, and start no file after four hours'],
  ],
  async run(args, cli) {
    if (readBooleanFlag(args, 'dry-run')) return planOnly(args, cli);
    const { prepareSync } = await import('../../operations/prepare-sync.js');
    const run = prepareSync(args, cli);
    const askForSpace = () => createSpaceQuestion(readBooleanFlag(args, 'yes'), cli);
    return cli.output.report((observer) => run({ ...observer, askForSpace }));
  },
};

async function planOnly(args: CommandArgs, cli: CliHost): Promise<number> {
  const { prepareSyncPlan } = await import('../../operations/prepare-sync.js');
  const run = prepareSyncPlan(args, cli);
  const summary = await run(cli.output.observer(true), (openedPlan) => showPlan(openedPlan, args, cli));
  return finishPlan(summary, cli);
}
