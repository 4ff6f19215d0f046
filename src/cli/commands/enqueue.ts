import { ERROR_TABLE } from '../../base/errors.js';
import { formatCount, plural } from '../../base/units.js';
import { describeRequiredDays, describeUncoveredDays } from '../../events/exit-reasons.js';
import { toJsonLine } from '../../events/json-events.js';
import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const enqueueCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.enqueue),
  examples: [
    [
      '$0 enqueue binance-futures -t trades -s all --from 2020-01 --dir /data',
      'one slice per series and month; workers start with the newest',
    ],
    [
      '$0 enqueue deribit -t incremental_book_L2 -s all --last 9d --slice 1d',
      'one slice per day, for files of gigabytes',
    ],
  ],
  async run(args, cli) {
    const { prepareEnqueue } = await import('../../operations/fleet/prepare-enqueue.js');
    const { output } = cli;
    const run = await prepareEnqueue(args, cli);
    const { unauthorized, keyProblem, missing, ...counts } = await run(output.observer());
    if (unauthorized > 0) output.warn(`left out: ${describeUncoveredDays(unauthorized, keyProblem)}`);
    const isStrict = readBooleanFlag(args, 'strict') && missing > 0;
    // With --quiet too, as it is the reason of the exit code.
    if (isStrict) output.printError(`warning ${describeRequiredDays(missing).message}\n`);
    const exitCode = isStrict ? ERROR_TABLE.not_exported.exitCode : 0;
    const { slices, added, present } = counts;
    await output.result({
      json: () => toJsonLine({ event: 'summary', exitCode, ...counts }),
      text: () =>
        `${plural(slices, 'slice')}: ${formatCount(added)} added, ${formatCount(present)} already queued\n`,
      unlessQuiet: 'stderr',
    });
    return exitCode;
  },
};
