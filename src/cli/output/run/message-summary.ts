import { abortReason, TickhaulError } from '../../../base/errors.js';
import { formatCount, formatSize, plural, secondsSince } from '../../../base/units.js';
import { readToggle } from '../../../commands/arguments/read.js';
import type { Written } from '../../../market/lines/line-sink.js';
import { describeFailure, stackOf } from '../../../run/failure.js';
import type { Args, Cli } from '../../arguments/types.js';
import { tellFailure } from '../failure.js';

/**
 * Does the work of a command whose stdout is messages, and sums it up on stderr: with `--json` its last line, since
 * stdout has the messages.
 * @returns the exit code.
 */
export async function tellMessages(
  args: Args,
  cli: Cli,
  work: (written: Written) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const written: Written = { messages: 0, bytes: 0 };
  try {
    await work(written);
    tellEnd(args, cli, written, started);
    return 0;
  } catch (error) {
    const thrown = cli.signal.aborted && !saysMore(error, cli) ? cli.signal.reason : error;
    const { exitCode } = describeFailure(thrown);
    tellFailure(thrown, cli.stderr, stackOf(thrown) !== undefined && readToggle(args, 'verbose'));
    tellSummary(args, cli, written, started, exitCode, describeFailure(thrown).error);
    return exitCode;
  }
}

/** Whether an error says more of what the signal ended, or that what was written till then could not be kept in its place. */
function saysMore(error: unknown, { signal }: Cli): boolean {
  if (!(error instanceof TickhaulError)) return false;
  return error.code === abortReason(signal).code || error.code === 'disk' || error.code === 'path_taken';
}

function tellEnd(args: Args, cli: Cli, written: Written, started: number): void {
  tellSummary(args, cli, written, started, 0);
  if (readToggle(args, 'json') || readToggle(args, 'quiet')) return;
  const { messages, bytes } = written;
  cli.stderr.write(
    `${plural(messages, 'message', formatCount(messages))}, ${formatSize(bytes)}, ${plural(Math.round(secondsSince(started)), 'second')}\n`,
  );
}

function tellSummary(
  args: Args,
  { stderr }: Cli,
  written: Written,
  started: number,
  exitCode: number,
  error?: object,
): void {
  if (!readToggle(args, 'json')) return;
  const summary = { event: 'summary', exitCode, ...written, seconds: secondsSince(started), error };
  stderr.write(`${JSON.stringify(summary)}\n`);
}
