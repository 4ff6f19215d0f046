import { abortReason, TickhaulError } from '../../../base/errors.js';
import { formatCount, formatSize, plural, secondsSince } from '../../../base/units.js';
import { readBooleanFlag } from '../../../commands/arguments/read-arguments.js';
import type { WrittenCounts } from '../../../market/lines/line-sink.js';
import { bugStack, toRunFailure } from '../../../run/run-failure.js';
import type { CliHost, CommandArgs } from '../../arguments/command.js';
import { printFailure } from '../print-failure.js';

/**
 * Does the work of a command whose stdout is messages, and sums it up on stderr: with `--json` its last line, since
 * stdout has the messages.
 * @returns the exit code.
 */
export async function runWithMessageSummary(
  args: CommandArgs,
  cli: CliHost,
  work: (written: WrittenCounts) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const written: WrittenCounts = { messages: 0, bytes: 0 };
  try {
    await work(written);
    tellEnd(args, cli, written, started);
    return 0;
  } catch (error) {
    const thrown = cli.signal.aborted && !saysMore(error, cli) ? cli.signal.reason : error;
    const { exitCode } = toRunFailure(thrown);
    printFailure(thrown, cli.stderr, bugStack(thrown) !== undefined && readBooleanFlag(args, 'verbose'));
    tellSummary(args, cli, written, started, exitCode, toRunFailure(thrown).error);
    return exitCode;
  }
}

/** Whether an error says more of what the signal ended, or that what was written till then could not be kept in its place. */
function saysMore(error: unknown, { signal }: CliHost): boolean {
  if (!(error instanceof TickhaulError)) return false;
  return error.code === abortReason(signal).code || error.code === 'disk' || error.code === 'path_taken';
}

function tellEnd(args: CommandArgs, cli: CliHost, written: WrittenCounts, started: number): void {
  tellSummary(args, cli, written, started, 0);
  if (readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet')) return;
  const { messages, bytes } = written;
  cli.stderr.write(
    `${plural(messages, 'message', formatCount(messages))}, ${formatSize(bytes)}, ${plural(Math.round(secondsSince(started)), 'second')}\n`,
  );
}

function tellSummary(
  args: CommandArgs,
  { stderr }: CliHost,
  written: WrittenCounts,
  started: number,
  exitCode: number,
  error?: object,
): void {
  if (!readBooleanFlag(args, 'json')) return;
  const summary = { event: 'summary', exitCode, ...written, seconds: secondsSince(started), error };
  stderr.write(`${JSON.stringify(summary)}\n`);
}
