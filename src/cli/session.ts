import { readBooleanFlag } from '../commands/arguments/read-arguments.js';
import type { RunObserver } from '../commands/command-run.js';
import {
  type ServiceSession,
  type SessionOptions,
  withServiceSession as withClient,
} from '../commands/service-session.js';
import type { RunSummary } from '../run/run-events.js';
import { bugStack, createFailedSummary, toRunFailure } from '../run/run-failure.js';
import { withRequestLog } from '../store/s3/request-log-channel.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { formatNote } from './output/format-events.js';
import type { Reporter } from './output/run/reporter.js';

export type { ServiceSession };

/** Does some work with a client that is closed whatever happens; under `--verbose` each request is a line of stderr. */
export function withSession<T>(
  args: CommandArgs,
  cli: CliHost,
  options: Omit<SessionOptions, 'note'>,
  work: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  return withClient(args, cli, { ...options, note: plainNoteOf(args, cli) }, work);
}

/** Does some work; under `--verbose` each of its requests to an object store is a line of stderr. */
export function withStoreRequests<T>(args: CommandArgs, cli: CliHost, work: () => Promise<T>): Promise<T> {
  return withRequestLog(plainNoteOf(args, cli), work);
}

/** Does a run whose events go to the reporter that the flags ask for. @returns its exit code. */
export async function reportRun(
  args: CommandArgs,
  cli: CliHost,
  run: (teller: RunObserver) => Promise<RunSummary>,
): Promise<number> {
  const reporter = await openReporter(args, cli);
  const teller = tellerOf(args, reporter);
  const summary = await withRequestLog(teller.note, () => run(teller)).catch((error: unknown) => {
    const stack = bugStack(error);
    if (stack !== undefined && readBooleanFlag(args, 'verbose')) reporter.note(stack);
    // Since the process began.
    return createFailedSummary(toRunFailure(error), 0);
  });
  // Bars are taken off the screen here, whatever happened.
  reporter.finish(summary);
  return summary.exitCode;
}

/**
 * A reporter of downloads on the way to something else: all it says goes to stderr.
 * @param mayDraw whether bars may be drawn there, on a terminal.
 */
export async function openTransferReporter(
  args: CommandArgs,
  cli: CliHost,
  mayDraw: boolean,
): Promise<Reporter> {
  const isQuiet = readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet');
  return openReporter({ ...args, json: false, quiet: isQuiet }, { ...cli, stdout: cli.stderr }, mayDraw);
}

/** A run's events and requests to a reporter. */
export function tellerOf(args: CommandArgs, reporter: Reporter): RunObserver {
  return {
    emit: (event) => reporter.event(event),
    note: noteOf(args, (line) => reporter.note(line)),
  };
}

/** Of a run's events, its warnings alone: where it works something out, and does none of it. */
export function warningTeller(args: CommandArgs, cli: CliHost): RunObserver {
  return {
    emit: (event) => {
      if (event.event === 'warning') cli.warn(event.message);
    },
    note: plainNoteOf(args, cli),
  };
}

/** The same with notes, for people: where a plan is of several jobs. */
export function noteTeller(args: CommandArgs, cli: CliHost): RunObserver {
  const { emit, note } = warningTeller(args, cli);
  const isSilent = readBooleanFlag(args, 'json') || readBooleanFlag(args, 'quiet');
  return {
    emit: (event) => {
      if (event.event !== 'note') emit(event);
      else if (!isSilent) cli.stderr.write(formatNote(event));
    },
    note,
  };
}

/** Lines of requests on stderr, where `--verbose` asks for them. */
export function plainNoteOf(args: CommandArgs, { stderr }: CliHost): ((line: string) => void) | undefined {
  return noteOf(args, (line) => stderr.write(`${line}\n`));
}

/** Lines of requests, where `--verbose` asks for them. */
export function noteOf(
  args: CommandArgs,
  write: (line: string) => unknown,
): ((line: string) => void) | undefined {
  return readBooleanFlag(args, 'verbose') ? write : undefined;
}

async function openReporter(args: CommandArgs, cli: CliHost, mayDraw = true): Promise<Reporter> {
  const { createReporter, chooseReporter } = await import('./output/run/create-reporter.js');
  const { createChalk } = await import('./output/text/color.js');
  const { stdout, stderr, env } = cli;
  const wanted = chooseReporter(
    readBooleanFlag(args, 'json'),
    readBooleanFlag(args, 'quiet'),
    stderr,
    env['TERM'],
  );
  const name = wanted === 'bars' && !mayDraw ? 'lines' : wanted;
  const chalk = createChalk(stderr, env, readBooleanFlag(args, 'no-color'));
  return createReporter(name, { stdout, stderr, chalk, now: () => performance.now() });
}
