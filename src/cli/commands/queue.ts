import { usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { readPaths, readText, readToggle } from '../../commands/arguments/read.js';
import type { FailedSlice, QueueStatus } from '../../fleet/queue.js';
import type { OpenQueue } from '../../fleet/redis.js';
import { formatSlice } from '../../fleet/slices.js';
import { QUEUE_FLAGS } from '../arguments/fleet-flags.js';
import type { Action } from '../arguments/types.js';
import { documentText } from '../output/text/document.js';

const ACTIONS = ['status', 'failed', 'retry', 'pause', 'resume', 'drain'] as const;

export const queue: Action = {
  positionals: {
    action: { type: 'string', choices: ACTIONS, describe: 'what to do with the queue' },
    id: { type: 'string', describe: 'of retry: failed slices, as failed lists them (default: all)' },
  },
  flags: QUEUE_FLAGS,
  examples: [
    ['$0 queue status', 'how many slices wait, are worked on, are done, have failed'],
    ['$0 queue failed', 'slices that failed for good, and why'],
    ['$0 queue retry', 'put them into the queue again'],
    ['$0 queue pause', 'begin no slice; resume goes on, drain drops what waits'],
  ],
  async run(args, cli) {
    const action = readText(args, 'action') as (typeof ACTIONS)[number];
    const ids = readPaths(args, 'id');
    if (action !== 'retry' && ids.length > 0)
      throw usageError(`queue ${action} takes no ids; leave "${ids[0]}" out`);
    const { readQueueAccess, withQueue } = await import('../../commands/fleet/queue-access.js');
    const fleet = await import('../../fleet/queue.js');
    const acts: Record<typeof action, (open: OpenQueue) => Promise<Told>> = {
      async status(open) {
        const status = await fleet.queueStatus(open);
        return { json: status, text: statusText(status) };
      },
      async failed(open) {
        const failed = await fleet.failedSlices(open);
        return { json: failed, text: failedText(failed) };
      },
      async retry(open) {
        const retried = await fleet.retrySlices(open, ids);
        return { json: { retried }, text: `${plural(retried, 'slice')} put into the queue again\n` };
      },
      async pause(open) {
        await fleet.pauseQueue(open);
        return { json: { paused: true }, text: 'paused: slices that are worked on go on to their end\n' };
      },
      async resume(open) {
        await fleet.resumeQueue(open);
        return { json: { paused: false }, text: 'resumed\n' };
      },
      async drain(open) {
        const dropped = await fleet.drainQueue(open);
        return {
          json: { dropped },
          text: `${plural(dropped, 'slice')} dropped; enqueue puts them there again\n`,
        };
      },
    };
    const { json, text } = await withQueue(readQueueAccess(args, cli), cli, acts[action]);
    if (readToggle(args, 'json')) cli.stdout.write(documentText(json, false));
    else if (!readToggle(args, 'quiet')) cli.stdout.write(text);
    return 0;
  },
};

interface Told {
  readonly json: unknown;
  readonly text: string;
}

function statusText({ paused, ...counts }: QueueStatus): string {
  const lines = Object.entries(counts).map(
    ([name, count]) => `${name.padEnd('completed'.length)}  ${count}\n`,
  );
  return `${lines.join('')}${paused ? 'paused: tickhaul queue resume goes on\n' : ''}`;
}

function failedText(failed: readonly FailedSlice[]): string {
  return failed
    .map(
      (slice) => `${slice.id}  ${formatSlice(slice)}, ${plural(slice.attempts, 'attempt')}: ${slice.error}\n`,
    )
    .join('');
}
