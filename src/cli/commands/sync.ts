import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';
import { createSpaceQuestion } from './download.js';
import { finishPlan, showPlan } from './plan.js';

export const syncCommand = defineCommand(COMMAND_OPTIONS.sync, {
  examples: [
    ['$0 sync', 'run the jobs of ./tickhaul.yaml, or of the file in the user’s config folder'],
    ['$0 sync --wait --timeout 6h --quiet', 'for cron: wait until yesterday is exported'],
    ['$0 sync --dry-run', 'plan each job'],
    ['$0 sync --job btc --max-duration 4h', 'run one job, and start no file after four hours'],
  ],
  async run(options, cli) {
    const { planSync, runSync } = await import('../../operations/sync.js');
    if (!options.dryRun) {
      const askForSpace = () => createSpaceQuestion(options.yes, cli);
      return runOperation(runSync, options, cli, { askForSpace });
    }
    const { withContext } = await import('../../operations/context.js');
    const summary = await withContext(options, cli, cli.output.observer(true), (context) =>
      planSync(options, context, (openedPlan) => showPlan(openedPlan, options, cli)),
    );
    return finishPlan(summary, cli);
  },
});
