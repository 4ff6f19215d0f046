import { formatSize, plural } from '../../base/units.js';
import { readToggle } from '../../commands/arguments/read.js';
import type { SliceEvent, WorkerEvent, WorkerSummary } from '../../fleet/events.js';
import { formatSlice } from '../../fleet/slices.js';
import { line } from '../../run/json.js';
import { hearRequests } from '../../store/s3/told-requests.js';
import { QUEUE_FLAGS, WORKER_FLAGS } from '../arguments/fleet-flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { textColumns } from '../output/text/screen.js';
import { wrapLines } from '../output/text/wrap.js';
import { plainNoteOf } from '../session.js';

export const worker: Action = {
  flags: { ...WORKER_FLAGS, ...QUEUE_FLAGS },
  examples: [
    ['$0 worker', 'four slices at once, till it is told to end'],
    ['$0 worker -j 1 --once --json', 'one at a time, as JSON lines, till none is left'],
  ],
  async run(args, cli) {
    const { prepareWorker } = await import('../../commands/fleet/worker.js');
    const work = prepareWorker(args, cli);
    const note = plainNoteOf(args, cli);
    const summary = await hearRequests(note, () => work(tellerOf(args, cli), note));
    if (readToggle(args, 'json')) cli.stdout.write(line({ event: 'summary', ...summary }));
    else if (summary.error)
      cli.stderr.write(wrapLines(`error   ${summary.error.message}\n`, textColumns(cli.stderr)));
    if (!readToggle(args, 'json') && !readToggle(args, 'quiet'))
      cli.stderr.write(`${summaryText(summary)}\n`);
    // A Redis that is gone may hold its connections for long.
    if (cli.signal.aborted) cli.leave(summary.exitCode);
    return summary.exitCode;
  },
};

function tellerOf(args: Args, { stdout, stderr, warn }: Cli): (event: WorkerEvent) => void {
  if (readToggle(args, 'json')) return (event) => stdout.write(line(event));
  const isQuiet = readToggle(args, 'quiet');
  return (event) => {
    if (event.event === 'warning') warn(event.message);
    else if (event.event === 'note') stderr.write(`${event.message}\n`);
    else if (event.status === 'failed') warn(sliceText(event));
    else if (!isQuiet) stderr.write(`${sliceText(event)}\n`);
  };
}

function sliceText(slice: SliceEvent): string {
  const { status, downloaded, skipped, bytes, error } = slice;
  const files = `${downloaded} downloaded, ${skipped} there`;
  const why = error === undefined ? '' : `: ${error}`;
  return `${status.padEnd('returned'.length)} ${formatSlice(slice)} (${files}, ${formatSize(bytes)})${why}`;
}

function summaryText({ done, failed, returned, bytes }: WorkerSummary): string {
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(returned > 0 ? [`${returned} given back`] : []),
  ];
  return [`${plural(done, 'slice')} done`, ...others, formatSize(bytes)].join(', ');
}
