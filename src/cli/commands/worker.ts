import { usageError } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { formatSize, plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import type { SliceDestination } from '../../fleet/slice-job.js';
import type { SliceEvent, WorkerEvent, WorkerSummary } from '../../fleet/slice-work.js';
import { formatSlice } from '../../fleet/split-into-slices.js';
import type { Context } from '../../operations/context.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandValues } from '../../options/read-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

const MIN_LOCK_MS = 1000;

export const workerCommand = defineCommand(COMMAND_OPTIONS.worker, {
  examples: [
    ['$0 worker', 'process four slices at once, until a signal'],
    ['$0 worker -j 1 --once --json', 'process one slice at a time, with JSON lines, until none is left'],
  ],
  async run(options, cli) {
    const { output } = cli;
    let isStuck = false;
    const onStuck = (): void => {
      isStuck = true;
    };
    const emit = createEventPrinter(cli);
    const summary = await withOutputContext(options, cli, (context) => work(options, context, emit, onStuck));
    if (summary.error) output.printError(`error   ${summary.error.message}\n`);
    await output.result({
      json: () => toJsonLine({ event: 'summary', ...summary }),
      text: () => `${formatSummary(summary)}\n`,
      unlessQuiet: 'stderr',
    });
    // An unreachable Redis may keep its connections open for long, and BullMQ waits for replies that were lost with one.
    if (isStuck || cli.signal.aborted) cli.exitNow(summary.exitCode);
    return summary.exitCode;
  },
});

/** Downloads slices of the queue. */
async function work(
  options: CommandValues<typeof COMMAND_OPTIONS.worker>,
  context: Context,
  emit: (event: WorkerEvent) => void,
  onStuck: () => void,
): Promise<WorkerSummary> {
  const { readQueueAccess, withQueue } = await import('../../fleet/open-queue.js');
  const { countConversionThreads } = await import('../../operations/selection/read-conversion-options.js');
  const { createLockOwner } = await import('../../operations/context.js');
  const { createSliceWork } = await import('../../fleet/slice-work.js');
  const { runWorker } = await import('../../fleet/run-worker.js');
  const { openDestination: openPlace } = await import('../../store/open-destination.js');
  const { concurrency, once, lockDurationMs: lockMs } = options;
  const access = readQueueAccess(options.queue, context);
  if (lockMs < MIN_LOCK_MS)
    throw usageError('--lock-duration: at least 1s; with less, a busy worker would lose its slices');
  const threads = countConversionThreads();
  const owner = () => createLockOwner(context);
  const { signal } = context;
  const client = await context.client();
  const ownStore = await context.store();
  // A slice may name another store than this machine's settings.
  const openDestination = ({ dir, store = ownStore }: SliceDestination, abortSignal: AbortSignal) => {
    const { endpoint, region = ownStore.region, pathStyle } = store;
    return openPlace(dir, { ...ownStore, endpoint, region, pathStyle }, abortSignal);
  };
  return withQueue(access, { warn: (message) => emit({ event: 'warning', message }), signal }, (open) => {
    const slices = createSliceWork({ client, openDestination, owner, threads });
    return runWorker({ open, work: slices, concurrency, once, lockMs, emit, onStuck, signal });
  });
}

function createEventPrinter({ stdout, stderr, output }: CliHost): (event: WorkerEvent) => void {
  if (output.json) return (event) => stdout.write(toJsonLine(event));
  // With --quiet too: they are errors that a worker waits out.
  const warn = (message: string): void => output.printError(`warning ${sanitizeForTerminal(message)}\n`);
  const print = (text: string): void => void stderr.write(`${sanitizeForTerminal(text)}\n`);
  return (event) => {
    if (event.event === 'warning') warn(event.message);
    else if (event.event === 'note') print(event.message);
    else if (event.status === 'failed') warn(formatSliceEvent(event));
    else if (!output.quiet) print(formatSliceEvent(event));
  };
}

function formatSliceEvent(slice: SliceEvent): string {
  const { status, downloaded, skipped, bytes, error } = slice;
  const files = `${downloaded} downloaded, ${skipped} there`;
  const reason = error === undefined ? '' : `: ${error}`;
  return `${status.padEnd('returned'.length)} ${formatSlice(slice)} (${files}, ${formatSize(bytes)})${reason}`;
}

function formatSummary({ done, failed, returned, bytes }: WorkerSummary): string {
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(returned > 0 ? [`${returned} given back`] : []),
  ];
  return [`${plural(done, 'slice')} done`, ...others, formatSize(bytes)].join(', ');
}
