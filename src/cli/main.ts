import { isatty } from 'node:tty';
import { ERROR_TABLE, type ErrorCode, TickhaulError, toDiskError } from '../base/errors.js';
import { Secrets } from '../base/secrets.js';
import { toJsonLine, toSummaryJson } from '../events/json-events.js';
import { createFailedSummary, type RunFailure, toRunFailure } from '../events/run-failure.js';
import { readProcessHost } from '../operations/command-host.js';
import type { CliHost, CliProcess, CommandOutline } from './arguments/command.js';
import { commandName } from './arguments/define-flags.js';
import { parseCommandLine } from './arguments/parse-command-line.js';
import { createFirstScreen } from './arguments/program-help.js';
import { findNamedCommand, hasSwitch } from './arguments/typed-words.js';
import { COMMANDS } from './commands/command-list.js';
import { printFailure, reportBug } from './report-failure.js';

/** Milliseconds from the first signal until the process exits, whatever it is doing, unless the command has its own. */
const SHUTDOWN_MS = 5_000;

/** Exit codes of failures that a path may cause. */
const PATH_EXIT_CODES: readonly number[] = [ERROR_TABLE.usage.exitCode, ERROR_TABLE.disk.exitCode];

/**
 * Runs the command line of this process and sets its exit code. Only this module reads `process`.
 * @param hasWorkingFolder false if the working folder was removed.
 */
export async function main(hasWorkingFolder = true): Promise<void> {
  const words = process.argv.slice(2);
  const command = findNamedCommand(COMMANDS, words);
  const bugs: BugReporter = {
    secrets: new Secrets(),
    reportBug: (thrown, print = (text) => process.stderr.write(`${text}\n`)) => {
      const { env, pid } = process;
      const name = command && commandName(command);
      return reportBug(thrown, { env, pid, secrets: bugs.secrets, command: name, words }, print);
    },
  };
  let isOver = false;
  /** Exits at once, without cleanup. */
  const leave = (reason: TickhaulError, lateError?: TickhaulError): never => {
    // Move off a line with progress bars or `^C`, so that the shell's prompt is on a new line.
    if (process.stderr.isTTY) process.stderr.write('\n');
    if (!isOver) printFailure(lateError ?? reason, process.stderr);
    if (!isOver) printSummary(toRunFailure(reason), command, words);
    process.exit(reason.exitCode);
  };
  silenceConsole();
  exitWithReader(command);
  // Without a listener, a file larger than `ulimit -f` ends the process; with it, the write fails (EFBIG).
  process.on('SIGXFSZ', () => {});
  // The progress bars must be redrawn: the shell has printed lines in between.
  process.on('SIGCONT', () => process.stderr.emit('continue'));
  process.on('uncaughtException', (error) => {
    try {
      process.exit(reportFailure(bugs.reportBug(error), command, words));
    } finally {
      // An exception in this handler would exit with Node's code 7.
      process.exit(1);
    }
  });
  // Otherwise Node exits with code 13 and no message.
  process.on('beforeExit', () => {
    if (isOver) return;
    const error = bugs.reportBug(new Error('the command stopped before its end'));
    process.exit(reportFailure(error, command, words));
  });
  try {
    process.exitCode = await runWords(words, bugs, leave);
  } catch (error) {
    process.exitCode = reportFailure(bugs.reportBug(error), command, words);
  }
  // The error of such a path only says that nothing is there.
  if (PATH_EXIT_CODES.includes(process.exitCode) && !hasWorkingFolder)
    process.stderr.write(
      'tickhaul: the working folder was removed; change to another folder, or use absolute paths\n',
    );
  isOver = true;
}

/** Drops console output, which only packages write, such as warnings of the Redis client. */
function silenceConsole(): void {
  for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const) console[method] = () => {};
}

async function runWords(words: readonly string[], bugs: BugReporter, leave: ExitNow): Promise<number> {
  if (words.length === 0) {
    process.stderr.write(createFirstScreen(COMMANDS.length));
    return ERROR_TABLE.usage.exitCode;
  }
  const columns = Math.min(process.stdout.columns || 80, 120);
  const parsed = await parseCommandLine(COMMANDS, words, columns);
  if (parsed.kind === 'print') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { command, args } = parsed;
  const host = createCliProcess(words, bugs, listenToSignals(leave, command));
  // Loaded here, since help needs no command's modules.
  const { runCommand } = await import('./run-command.js');
  return runCommand(command, args, host);
}

function createCliProcess(words: readonly string[], bugs: BugReporter, signals: Signals): CliProcess {
  const { stdin, stdout, stderr } = process;
  // Commands whose flags may contain a secret replace this command line.
  const commandLine = ['tickhaul', ...words].join(' ');
  const streams = { stdin, stdout, stderr, dataOut: stdout };
  const leave = (exitCode: number): never => process.exit(exitCode);
  return {
    ...readProcessHost(process),
    ...streams,
    ...signals,
    ...bugs,
    exitNow: leave,
    commandLine,
  };
}

/** Error of a run that is still active some time after a signal. */
function createLateError({ code, message }: TickhaulError, ms: number): TickhaulError {
  return new TickhaulError(
    code,
    `${message}, but still running after ${ms / 1000}s; exiting without cleanup`,
  );
}

/** @param lateError set if the time for a clean end has passed. */
type ExitNow = (reason: TickhaulError, lateError?: TickhaulError) => never;
type BugReporter = Pick<CliHost, 'secrets' | 'reportBug'>;
type Signals = Pick<CliHost, 'signal' | 'passSignals'>;

/**
 * Ends the run cleanly on the first signal, and at once on a second SIGINT or SIGTERM, unless signals are
 * passed on.
 */
function listenToSignals(leave: ExitNow, { shutdownMs = SHUTDOWN_MS }: CommandOutline): Signals {
  const controller = new AbortController();
  const { signal } = controller;
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let passSignal: Parameters<CliHost['passSignals']>[0] | undefined;
  const endCleanly = (reason: TickhaulError): void => {
    const leaveLate = (): never => leave(reason, createLateError(reason, shutdownMs));
    if (Number.isFinite(shutdownMs)) setTimeout(leaveLate, shutdownMs).unref();
    controller.abort(reason);
  };
  const listen = (name: NodeJS.Signals, code: ErrorCode): void => {
    const reason = new TickhaulError(code, `${code} (${name})`);
    process.on(name, () => {
      if (passSignal === undefined) return signal.aborted ? leave(reason) : endCleanly(reason);
      // The terminal sends Ctrl-C to all its processes, including the child.
      if (name !== 'SIGINT' || !hasTerminal) passSignal(name);
    });
  };
  listen('SIGINT', 'interrupted');
  listen('SIGTERM', 'terminated');
  // The terminal was closed; kernel and shell may both send SIGHUP. Without a terminal, ignore SIGHUP as under nohup,
  // whose setting Node resets at its start.
  process.on('SIGHUP', () => {
    if (signal.aborted || !hasTerminal) return;
    if (process.stderr.isTTY) process.on('exit', exitByHangup);
    if (passSignal === undefined) endCleanly(new TickhaulError('terminated', 'terminated (SIGHUP)'));
  });
  return {
    signal,
    passSignals: (listener) => {
      passSignal = listener;
    },
  };
}

/** Exits by signal: Node's own exit aborts if its terminal no longer exists. */
function exitByHangup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** Exits normally if stdout is closed (`| head`), for commands that only print. */
function exitWithReader(command: CommandOutline | undefined): void {
  const listen = (stream: NodeJS.WriteStream): void => {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Drop progress that cannot be written; the data continues.
      if (stream === process.stderr && error.code !== 'EPIPE') return;
      // EIO: the terminal was closed.
      if (error.code === 'EIO' && stream.isTTY) return;
      if (error.code !== 'EPIPE') throw toDiskError(error, 'the output');
      if (stream === process.stdout && command?.outlivesReader !== true) process.exit(0);
    });
  };
  listen(process.stdout);
  listen(process.stderr);
}

/**
 * Prints why the command failed to stderr, and with `--json` the summary of a working command.
 * @returns exit code.
 */
function reportFailure(
  thrown: unknown,
  command: CommandOutline | undefined,
  words: readonly string[],
): number {
  const failure = printFailure(thrown, process.stderr);
  printSummary(failure, command, words);
  return failure.exitCode;
}

/** Prints the last JSON line of a working command that did not print it itself. */
function printSummary(
  failure: RunFailure,
  command: CommandOutline | undefined,
  words: readonly string[],
): void {
  if (command?.printsEvents !== true || !hasSwitch(words, 'json')) return;
  // A start time of 0 is the start of the process.
  process.stdout.write(toJsonLine(toSummaryJson(createFailedSummary(failure, 0))));
}
