import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { abortReason, isSystemError, usageError } from '../base/errors.js';
import type { CliHost } from './arguments/command.js';
import { printFailure } from './output/print-failure.js';

/** What shells end with where a command is not there, or is not one that can be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs a command in the place of this process: with its terminal or pipes, and with the signals that come to it.
 * @param words the program and its arguments; no shell reads them.
 * @throws the reason of an abort that came before it.
 * @returns the exit code, as a shell tells it: 128 and the signal's number where a signal ended the command.
 */
export async function runChild(words: readonly string[], env: CliHost['env'], cli: CliHost): Promise<number> {
  if (cli.signal.aborted) throw abortReason(cli.signal);
  const [program = '', ...rest] = words;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: 'inherit', env });
    cli.passSignals((name) => child.kill(name));
    child.on('error', (error) => {
      // It began: only a signal didn't reach it.
      if (child.pid !== undefined) return;
      const isMissing = isSystemError(error) && error.code === 'ENOENT';
      const what = isMissing ? 'there is no such command' : `the command can't be run: ${error.message}`;
      printFailure(usageError(`${program}: ${what}`), cli.stderr, false);
      resolve(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
