import { isatty } from 'node:tty';
import { diskError, ERRORS, type ErrorCode, TickhaulError } from '../base/errors.js';
import { hostOf } from '../commands/host.js';
import { describeFailure, type Failure, failedSummary } from '../run/failure.js';
import { line, summaryObject } from '../run/json.js';
import { commandOf } from './arguments/command-of.js';
import { firstScreen } from './arguments/first-screen.js';
import { parse } from './arguments/parser.js';
import type { Cli, Outline } from './arguments/types.js';
import { COMMANDS } from './commands/index.js';
import { tellFailure } from './output/failure.js';
import { warnerOf } from './output/messages.js';

/** Milliseconds from the first signal until the process leaves, whatever it is doing. */
const LEAVE_MS = 5_000;

/**
 * Runs the command line of this process, and sets its exit code. Nothing else reads `process`.
 */
export async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const command = commandOf(COMMANDS, words);
  let isOver = false;
  /** At once, with what is under way left as it is. */
  const leave = (reason: TickhaulError, isLate = false): never => {
    // Bars or a `^C` may stand where the shell's prompt will be.
    if (process.stderr.isTTY) process.stderr.write('\n');
    if (!isOver && isLate) tellFailure(lateError(reason), process.stderr, false);
    if (!isOver) tellSummary(describeFailure(reason), command, words);
    process.exit(reason.exitCode);
  };
  silenceConsole();
  leaveWithReader(command);
  // A file that grows past `ulimit -f` is then a failed write (EFBIG), and not the process's end.
  process.on('SIGXFSZ', () => {});
  // Bars must know that the shell has printed in between.
  process.on('SIGCONT', () => process.stderr.emit('continue'));
  process.on('uncaughtException', (error) => {
    try {
      process.exit(fail(error, command, words));
    } finally {
      // Node's own code for a handler that throws is 7.
      process.exit(1);
    }
  });
  // Node would leave with 13, and without a word.
  process.on('beforeExit', () => {
    if (!isOver) process.exit(fail(new Error('the command waits for nothing more'), command, words));
  });
  try {
    process.exitCode = await runWords(words, leave);
  } catch (error) {
    process.exitCode = fail(error, command, words);
  }
  isOver = true;
}

/** Only packages print by the console, such as warnings of the Redis client; commands write to their streams. */
function silenceConsole(): void {
  for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const) console[method] = () => {};
}

async function runWords(words: readonly string[], leave: Leave): Promise<number> {
  if (words.length === 0) {
    process.stderr.write(firstScreen(COMMANDS.length));
    return ERRORS.usage.exitCode;
  }
  const columns = Math.min(process.stdout.columns || 80, 120);
  const parsed = await parse(COMMANDS, words, columns);
  if (parsed.kind === 'print') {
    process.stdout.write(parsed.text);
    return 0;
  }
  return parsed.command.run(parsed.args, cliOf(words, listenToSignals(leave, parsed.command)));
}

function cliOf(words: readonly string[], signals: Signals): Cli {
  const { stdin, stdout, stderr } = process;
  // Commands whose flags may hold a secret tell less of theirs.
  const commandLine = ['tickhaul', ...words].join(' ');
  const streams = { stdin, stdout, stderr, dataOut: stdout };
  const leave = (exitCode: number): never => process.exit(exitCode);
  return { ...hostOf(process), ...streams, ...signals, leave, commandLine, warn: warnerOf(stderr) };
}

/** Why a run that a signal ended is not waited for any longer. */
function lateError({ code, message }: TickhaulError): TickhaulError {
  return new TickhaulError(code, `${message}: not over ${LEAVE_MS / 1000}s later, and left as it is`);
}

/** @param isLate whether what was under way had its time. */
type Leave = (reason: TickhaulError, isLate?: boolean) => never;
type Signals = Pick<Cli, 'signal' | 'passSignals'>;

/** The first signal ends the run in order, a second SIGINT or SIGTERM at once; unless they are passed on. */
function listenToSignals(leave: Leave, { endsInItsTime }: Outline): Signals {
  const controller = new AbortController();
  const { signal } = controller;
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let pass: Parameters<Cli['passSignals']>[0] | undefined;
  const end = (reason: TickhaulError): void => {
    if (!endsInItsTime) setTimeout(() => leave(reason, true), LEAVE_MS).unref();
    controller.abort(reason);
  };
  const listen = (name: NodeJS.Signals, code: ErrorCode): void => {
    const reason = new TickhaulError(code, `${code} (${name})`);
    process.on(name, () => {
      if (pass === undefined) return signal.aborted ? leave(reason) : end(reason);
      // Ctrl-C reaches all that the terminal runs.
      if (name !== 'SIGINT' || !hasTerminal) pass(name);
    });
  };
  listen('SIGINT', 'interrupted');
  listen('SIGTERM', 'terminated');
  // The terminal was closed: kernel and shell may both say so. Without one it is nohup that is meant, of which Node
  // undoes the effect when it starts.
  process.on('SIGHUP', () => {
    if (signal.aborted || !hasTerminal) return;
    if (process.stderr.isTTY) process.on('exit', dieOfHangup);
    if (pass === undefined) end(new TickhaulError('terminated', 'terminated (SIGHUP)'));
  });
  return {
    signal,
    passSignals: (listener) => {
      pass = listener;
    },
  };
}

/** Node's own way out aborts where the terminal that it began with is gone. */
function dieOfHangup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** A closed pipe (`| head`) is a normal end of a command that only prints. */
function leaveWithReader(command: Outline | undefined): void {
  const listen = (stream: NodeJS.WriteStream): void => {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Progress that can't be written is dropped: the data goes on.
      if (stream === process.stderr && error.code !== 'EPIPE') return;
      // EIO: a terminal that was closed.
      if (error.code === 'EIO' && stream.isTTY) return;
      if (error.code !== 'EPIPE') throw diskError(error, 'the output');
      if (stream === process.stdout && command?.outlivesReader !== true) process.exit(0);
    });
  };
  listen(process.stdout);
  listen(process.stderr);
}

/** Says why the command failed, on stderr, and with `--json` as a working command's summary. @returns exit code. */
function fail(thrown: unknown, command: Outline | undefined, words: readonly string[]): number {
  const failure = tellFailure(thrown, process.stderr, words.includes('--verbose'));
  tellSummary(failure, command, words);
  return failure.exitCode;
}

/** The last line of a working command's JSON, where the command didn't come to it. */
function tellSummary(failure: Failure, command: Outline | undefined, words: readonly string[]): void {
  if (command?.working !== true || !words.includes('--json')) return;
  // Since the process began.
  process.stdout.write(line(summaryObject(failedSummary(failure, 0))));
}
