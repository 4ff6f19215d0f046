import type { RunSummary } from '../events/run-events.js';
import { createFailedSummary, toRunFailure } from '../events/run-failure.js';
import { readBooleanFlag } from '../operations/arguments/read-arguments.js';
import type { RunObserver } from '../operations/command-run.js';
import {
  type ServiceSession,
  type SessionOptions,
  withServiceSession as withClient,
} from '../operations/service-session.js';
import { withRequestLog } from '../store/request-log-channel.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { formatNote } from './output/format-events.js';
import type { Reporter } from './output/run/reporter.js';

export type { ServiceSession };

/** Runs `work` with a client, and always closes it; `--verbose` prints each request to stderr. */
export function withSession<T>(
  args: CommandArgs,
  cli: CliHost,
  options: Omit<SessionOptions, 'note'>,
  work: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  return withClient(args, cli, { ...options, note: createStderrNote(args, cli) }, work);
}

/** Runs `work`; `--verbose` prints each of its requests to an object store to stderr. */
export function withStoreRequests<T>(args: CommandArgs, cli: CliHost, work: () => Promise<T>): Promise<T> {
  return withRequestLog(createStderrNote(args, cli), work);
}

/** Runs `run` with the reporter that the flags select. @returns its exit code. */
export async function reportRun(
  args: CommandArgs,
  cli: CliHost,
  run: (observer: RunObserver) => Promise<RunSummary>,
): Promise<number> {
  const reporter = await openReporter(args, cli);
  const observer = createObserver(args, reporter);
  const summary = await withRequestLog(observer.note, () => run(observer)).catch((error: unknown) => {
    const reported = cli.reportBug(error, (text) => reporter.note(text));
    // A start time of 0 is the start of the process.
    return createFailedSummary(toRunFailure(reported), 0);
  });
  // This removes bars from the screen, whatever happened.
  reporter.finish(summary);
  return summary.exitCode;
}

/**
 * A reporter of downloads that are part of another command: all its output goes to stderr.
 * @param mayDraw whether it may draw bars on a terminal.
 */
export async function openTransferReporter(
  args: CommandArgs,
  cli: CliHost,
  mayDraw: boolean,
): Promise<Reporter> {
  const isQuiet = readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet');
  return openReporter({ ...args, json: false, quiet: isQuiet }, { ...cli, stdout: cli.stderr }, mayDraw);
}

/** Passes events and requests of a run to a reporter. */
export function createObserver(args: CommandArgs, reporter: Reporter): RunObserver {
  return {
    emit: (event) => reporter.event(event),
    note: createNote(args, (line) => reporter.note(line)),
  };
}

/** Prints only the warnings of a run, for commands that plan without executing. */
export function createWarningObserver(args: CommandArgs, cli: CliHost): RunObserver {
  return {
    emit: (event) => {
      if (event.event === 'warning') cli.warn(event.message);
    },
    note: createStderrNote(args, cli),
  };
}

/** Prints warnings, and notes unless `--json` or `--quiet`, for plans of several jobs. */
export function createNoteObserver(args: CommandArgs, cli: CliHost): RunObserver {
  const { emit, note } = createWarningObserver(args, cli);
  const isSilent = readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet');
  return {
    emit: (event) => {
      if (event.event !== 'note') emit(event);
      else if (!isSilent) cli.stderr.write(formatNote(event));
    },
    note,
  };
}

/** Prints lines of requests to stderr, with `--verbose`. */
export function createStderrNote(
  args: CommandArgs,
  { stderr }: CliHost,
): ((line: string) => void) | undefined {
  return createNote(args, (line) => stderr.write(`${line}\n`));
}

/** Passes lines of requests to `write`, with `--verbose`. */
export function createNote(
  args: CommandArgs,
  write: (line: string) => unknown,
): ((line: string) => void) | undefined {
  return readBooleanFlag(args, 'verbose') ? write : undefined;
}

async function openReporter(args: CommandArgs, cli: CliHost, mayDraw = true): Promise<Reporter> {
  const { createReporter, chooseReporter } = await import('./output/run/create-reporter.js');
  const { createChalk } = await import('./output/text/color.js');
  const { stdout, stderr, env } = cli;
  const isQuiet = readBooleanFlag(args, 'quiet');
  const chosen = chooseReporter(readBooleanFlag(args, 'json'), isQuiet, stderr, env['TERM']);
  const name = chosen === 'bars' && !mayDraw ? 'lines' : chosen;
  const chalk = createChalk(stderr, env, readBooleanFlag(args, 'no-color'));
  return createReporter(name, { stdout, stderr, chalk, now: () => performance.now(), isQuiet });
}
