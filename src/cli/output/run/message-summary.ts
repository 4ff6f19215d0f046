import { abortReason, TickhaulError } from '../../../base/errors.js';
import { formatCount, formatSize, plural, secondsSince } from '../../../base/units.js';
import type { WrittenCounts } from '../../../market/lines/line-buffer.js';
import { readBooleanFlag } from '../../../operations/arguments/read-arguments.js';
import type { CliHost, CommandArgs } from '../../arguments/command.js';
import { printFailure } from '../print-failure.js';

/**
 * Runs a command that prints messages to stdout, and prints its summary to stderr; with `--json` it is the last line.
 * @returns the exit code.
 */
export async function runWithMessageSummary(
  args: CommandArgs,
  cli: CliHost,
  work: (written: WrittenCounts) => Promise<void>,
): Promise<number> {
  const startedAtMs = performance.now();
  const written: WrittenCounts = { messages: 0, bytes: 0 };
  try {
    await work(written);
    printEnd(args, cli, written, startedAtMs);
    return 0;
  } catch (error) {
    const thrown = cli.signal.aborted && !isMoreSpecific(error, cli) ? cli.signal.reason : error;
    const { exitCode, error: reason } = printFailure(cli.reportBug(thrown), cli.stderr);
    printSummary(args, cli, written, startedAtMs, exitCode, reason);
    return exitCode;
  }
}

/**
 * Whether an error is more specific than the signal's reason: it has the same code, or output could not be
 * stored.
 */
function isMoreSpecific(error: unknown, { signal }: CliHost): boolean {
  if (!(error instanceof TickhaulError)) return false;
  return error.code === abortReason(signal).code || error.code === 'disk' || error.code === 'path_taken';
}

function printEnd(args: CommandArgs, cli: CliHost, written: WrittenCounts, startedAtMs: number): void {
  printSummary(args, cli, written, startedAtMs, 0);
  if (readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet')) return;
  const { messages, bytes } = written;
  cli.stderr.write(
    `${plural(messages, 'message', formatCount(messages))}, ${formatSize(bytes)}, ${plural(Math.round(secondsSince(startedAtMs)), 'second')}\n`,
  );
}

function printSummary(
  args: CommandArgs,
  { stderr }: CliHost,
  written: WrittenCounts,
  startedAtMs: number,
  exitCode: number,
  error?: object,
): void {
  if (!readBooleanFlag(args, 'json')) return;
  const summary = { event: 'summary', exitCode, ...written, seconds: secondsSince(startedAtMs), error };
  stderr.write(`${JSON.stringify(summary)}\n`);
}
