import { readToggle } from '../commands/arguments/read.js';
import type { Teller } from '../commands/run.js';
import { type Session, type SessionOptions, withSession as withClient } from '../commands/session.js';
import type { RunSummary } from '../run/events.js';
import { describeFailure, failedSummary, stackOf } from '../run/failure.js';
import { hearRequests } from '../store/s3/told-requests.js';
import type { Args, Cli } from './arguments/types.js';
import { noteLine } from './output/messages.js';
import type { Reporter } from './output/run/reporter.js';

export type { Session };

/** Does some work with a client that is closed whatever happens; under `--verbose` each request is a line of stderr. */
export function withSession<T>(
  args: Args,
  cli: Cli,
  options: Omit<SessionOptions, 'note'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withClient(args, cli, { ...options, note: plainNoteOf(args, cli) }, work);
}

/** Does some work; under `--verbose` each of its requests to an object store is a line of stderr. */
export function withStoreRequests<T>(args: Args, cli: Cli, work: () => Promise<T>): Promise<T> {
  return hearRequests(plainNoteOf(args, cli), work);
}

/** Does a run whose events go to the reporter that the flags ask for. @returns its exit code. */
export async function reportRun(
  args: Args,
  cli: Cli,
  run: (teller: Teller) => Promise<RunSummary>,
): Promise<number> {
  const reporter = await openReporter(args, cli);
  const teller = tellerOf(args, reporter);
  const summary = await hearRequests(teller.note, () => run(teller)).catch((error: unknown) => {
    const stack = stackOf(error);
    if (stack !== undefined && readToggle(args, 'verbose')) reporter.note(stack);
    // Since the process began.
    return failedSummary(describeFailure(error), 0);
  });
  // Bars are taken off the screen here, whatever happened.
  reporter.finish(summary);
  return summary.exitCode;
}

/**
 * A reporter of downloads on the way to something else: all it says goes to stderr.
 * @param mayDraw whether bars may be drawn there, on a terminal.
 */
export async function openTransferReporter(args: Args, cli: Cli, mayDraw: boolean): Promise<Reporter> {
  const isQuiet = readToggle(args, 'json') || readToggle(args, 'quiet');
  return openReporter({ ...args, json: false, quiet: isQuiet }, { ...cli, stdout: cli.stderr }, mayDraw);
}

/** A run's events and requests to a reporter. */
export function tellerOf(args: Args, reporter: Reporter): Teller {
  return {
    emit: (event) => reporter.event(event),
    note: noteOf(args, (line) => reporter.note(line)),
  };
}

/** Of a run's events, its warnings alone: where it works something out, and does none of it. */
export function warningTeller(args: Args, cli: Cli): Teller {
  return {
    emit: (event) => {
      if (event.event === 'warning') cli.warn(event.message);
    },
    note: plainNoteOf(args, cli),
  };
}

/** The same with notes, for people: where a plan is of several jobs. */
export function noteTeller(args: Args, cli: Cli): Teller {
  const { emit, note } = warningTeller(args, cli);
  const isSilent = readToggle(args, 'json') || readToggle(args, 'quiet');
  return {
    emit: (event) => {
      if (event.event !== 'note') emit(event);
      else if (!isSilent) cli.stderr.write(noteLine(event));
    },
    note,
  };
}

/** Lines of requests on stderr, where `--verbose` asks for them. */
export function plainNoteOf(args: Args, { stderr }: Cli): ((line: string) => void) | undefined {
  return noteOf(args, (line) => stderr.write(`${line}\n`));
}

/** Lines of requests, where `--verbose` asks for them. */
export function noteOf(args: Args, write: (line: string) => unknown): ((line: string) => void) | undefined {
  return readToggle(args, 'verbose') ? write : undefined;
}

async function openReporter(args: Args, cli: Cli, mayDraw = true): Promise<Reporter> {
  const { createReporter, reporterName } = await import('./output/run/reporters.js');
  const { chalkFor } = await import('./output/text/color.js');
  const { stdout, stderr, env } = cli;
  const wanted = reporterName(readToggle(args, 'json'), readToggle(args, 'quiet'), stderr, env['TERM']);
  const name = wanted === 'bars' && !mayDraw ? 'lines' : wanted;
  const chalk = chalkFor(stderr, env, readToggle(args, 'no-color'));
  return createReporter(name, { stdout, stderr, chalk, now: () => performance.now() });
}
