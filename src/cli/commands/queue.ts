import { usageError } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import type { OpenQueue } from '../../fleet/open-queue.js';
import type { FailedSlice, QueueStatus } from '../../fleet/queue-commands.js';
import { formatSlice } from '../../fleet/split-into-slices.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';

const ACTIONS = ['status', 'failed', 'retry', 'pause', 'resume', 'drain'] as const;

const OPTIONS = {
  action: {
    type: 'choice',
    description: 'action on the queue',
    choices: ACTIONS,
    positional: true,
    required: true,
  },
  id: {
    type: 'texts',
    description: 'for retry: ids of failed slices, as listed by failed',
    defaultText: 'all',
    positional: true,
  },
  ...COMMAND_OPTIONS.queue,
} as const;

export const queueCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 queue status', 'count waiting, active, completed and failed slices'],
    ['$0 queue failed', 'list permanently failed slices and their errors'],
    ['$0 queue retry', 'queue failed slices again'],
    ['$0 queue pause', 'start no more slices; resume continues, drain removes waiting slices'],
  ],
  async run({ action = 'status', id: ids = [], queue }, cli) {
    if (action !== 'retry' && ids.length > 0)
      throw usageError(`queue ${action} takes no ids; leave "${ids[0]}" out`);
    const { readQueueAccess, withQueue } = await import('../../fleet/open-queue.js');
    const fleet = await import('../../fleet/queue-commands.js');
    const actions: Record<typeof action, (open: OpenQueue) => Promise<ActionResult>> = {
      async status(open) {
        const status = await fleet.readQueueStatus(open);
        return { json: status, text: formatStatus(status) };
      },
      async failed(open) {
        const failed = await fleet.listFailedSlices(open);
        return { json: failed, text: formatFailedSlices(failed) };
      },
      async retry(open) {
        const retried = await fleet.retrySlices(open, ids);
        return { json: { retried }, text: `${plural(retried, 'slice')} queued again\n` };
      },
      async pause(open) {
        await fleet.pauseQueue(open);
        return { json: { paused: true }, text: 'paused: active slices continue to their end\n' };
      },
      async resume(open) {
        await fleet.resumeQueue(open);
        return { json: { paused: false }, text: 'resumed\n' };
      },
      async drain(open) {
        const dropped = await fleet.drainQueue(open);
        return {
          json: { dropped },
          text: `${plural(dropped, 'slice')} removed; enqueue queues them again\n`,
        };
      },
    };
    const { json, text } = await withQueue(readQueueAccess(queue, cli), cli, actions[action]);
    await cli.output.result({
      json: () => toJsonLine(json),
      text: () => text,
      unlessQuiet: 'stdout',
    });
    return 0;
  },
});

interface ActionResult {
  readonly json: unknown;
  readonly text: string;
}

function formatStatus({ paused, ...counts }: QueueStatus): string {
  const lines = Object.entries(counts).map(
    ([name, count]) => `${name.padEnd('completed'.length)}  ${count}\n`,
  );
  return `${lines.join('')}${paused ? 'paused; continue with tickhaul queue resume\n' : ''}`;
}

function formatFailedSlices(failed: readonly FailedSlice[]): string {
  return failed
    .map(
      (slice) => `${slice.id}  ${formatSlice(slice)}, ${plural(slice.attempts, 'attempt')}: ${slice.error}`,
    )
    .map((line) => `${sanitizeForTerminal(line)}\n`)
    .join('');
}
