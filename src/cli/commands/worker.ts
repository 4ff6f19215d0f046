import { formatSize, plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import type { SliceEvent, WorkerEvent, WorkerSummary } from '../../fleet/slice-outcome.js';
import { formatSlice } from '../../fleet/split-into-slices.js';
import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { withRequestLog } from '../../store/request-log-channel.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { createWarner } from '../output/format-events.js';
import { textColumns } from '../output/text/screen.js';
import { wrapLines } from '../output/text/wrap.js';
import { createStderrNote } from '../session.js';

export const workerCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.worker),
  examples: [
    ['$0 worker', 'process four slices at once, until a signal'],
    ['$0 worker -j 1 --once --json', 'process one slice at a time, with JSON lines, until none is left'],
  ],
  async run(args, cli) {
    const { prepareWorker } = await import('../../operations/fleet/prepare-worker.js');
    const work = prepareWorker(args, cli);
    const note = createStderrNote(args, cli);
    let isStuck = false;
    const onStuck = (): void => {
      isStuck = true;
    };
    const summary = await withRequestLog(note, () => work(createEventPrinter(args, cli), note, onStuck));
    if (summary.error)
      cli.stderr.write(wrapLines(`error   ${summary.error.message}\n`, textColumns(cli.stderr)));
    if (readBooleanFlag(args, 'json')) cli.stdout.write(toJsonLine({ event: 'summary', ...summary }));
    if (!readBooleanFlag(args, 'json') && !readBooleanFlag(args, 'quiet'))
      cli.stderr.write(`${formatSummary(summary)}\n`);
    // An unreachable Redis may keep its connections open for long, and BullMQ waits for replies that were lost with one.
    if (isStuck || cli.signal.aborted) cli.exitNow(summary.exitCode);
    return summary.exitCode;
  },
};

function createEventPrinter(args: CommandArgs, { stdout, stderr }: CliHost): (event: WorkerEvent) => void {
  if (readBooleanFlag(args, 'json')) return (event) => stdout.write(toJsonLine(event));
  const isQuiet = readBooleanFlag(args, 'quiet');
  // With --quiet too: they are errors that a worker waits out.
  const warn = createWarner(stderr);
  return (event) => {
    if (event.event === 'warning') warn(event.message);
    else if (event.event === 'note') stderr.write(`${event.message}\n`);
    else if (event.status === 'failed') warn(formatSliceEvent(event));
    else if (!isQuiet) stderr.write(`${formatSliceEvent(event)}\n`);
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
