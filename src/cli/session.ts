import type { RunEvent, RunSummary } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import type { ServiceConfig } from '../service/types.js';
import { readToggle } from '../commands/arguments/read.js';
import type { Args, Cli } from './arguments/types.js';
import { loadSettings } from '../commands/config/file.js';
import { readKey, type Settings } from '../commands/environment.js';
import { describeFailure, failedSummary, stackOf } from './output/failure.js';
import type { Reporter } from './output/run/reporter.js';

/** A client of the service, with the settings it was made from. */
export interface Session {
  readonly client: Client;
  readonly settings: Settings;
}

interface SessionOptions {
  /** Milliseconds without a byte after which an answer is broken off. */
  readonly stallTimeoutMs?: number;
  /** Where they are known already. */
  readonly settings?: Settings;
  /** Takes the lines of `--verbose`; stderr by default. */
  readonly note?: (line: string) => void;
}

/** Does some work with a client that is closed whatever happens. */
export async function withSession<T>(
  args: Args,
  cli: Cli,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const settings = options.settings ?? (await loadSettings(args, cli));
  const note = options.note ?? ((line: string) => cli.stderr.write(`${line}\n`));
  const config: ServiceConfig = {
    apiUrl: settings.apiUrl,
    datasetsUrl: settings.datasetsUrl,
    apiKey: await readKey(settings.keySource, cli.stdin, cli.signal),
    stallTimeoutMs: options.stallTimeoutMs ?? 60_000,
    maxAnswerBytes: settings.maxAnswerBytes,
    env: cli.env,
    ...(readToggle(args, 'verbose') ? { onRequest: note } : {}),
  };
  const { createClient } = await import('../service/http/client.js');
  const client = createClient(config);
  try {
    return await work({ client, settings });
  } finally {
    await client.close();
  }
}

/** Does a run whose events go to the reporter that the flags ask for. @returns its exit code. */
export async function reportRun(
  args: Args,
  cli: Cli,
  work: (reporter: Reporter, emit: (event: RunEvent) => void) => Promise<RunSummary>,
): Promise<number> {
  const reporter = await openReporter(args, cli);
  const summary = await work(reporter, (event) => reporter.event(event)).catch((error: unknown) => {
    const stack = stackOf(error);
    if (stack !== undefined && readToggle(args, 'verbose')) reporter.note(stack);
    return failedSummary(describeFailure(error));
  });
  // Bars are taken off the screen here, whatever happened.
  reporter.finish(summary);
  return summary.exitCode;
}

/** A reporter of downloads on the way to something else: all it says goes to stderr. */
export async function openTransferReporter(args: Args, cli: Cli): Promise<Reporter> {
  const isQuiet = readToggle(args, 'json') || readToggle(args, 'quiet');
  return openReporter({ ...args, json: false, quiet: isQuiet }, { ...cli, stdout: cli.stderr });
}

async function openReporter(args: Args, cli: Cli): Promise<Reporter> {
  const { REPORTERS, reporterName } = await import('./output/run/reporters.js');
  const { chalkFor } = await import('./output/text/color.js');
  const { stdout, stderr, env } = cli;
  const name = reporterName(readToggle(args, 'json'), readToggle(args, 'quiet'), stderr, env['TERM']);
  const chalk = chalkFor(stderr, env, readToggle(args, 'no-color'));
  return REPORTERS[name]({ stdout, stderr, chalk, now: () => performance.now() });
}
