import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { abortReason, isSystemError, usageError } from '../base/errors.js';
import { withoutKeys } from '../operations/settings.js';
import type { Sandbox } from '../sandbox/sandbox-options.js';
import type { CliHost } from './arguments/command.js';
import { printFailure } from './report-failure.js';

/** Variables that make commands use the embedded service. */
export function sandboxVariables(service: Sandbox): Readonly<Record<string, string>> {
  return {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_AUTH_URL: service.issuerUrl,
    TICKHAUL_API_KEY: service.apiKey,
  };
}

/**
 * An environment for commands that use the embedded service, without the user's keys and without a proxy for
 * it.
 */
export function sandboxEnvironment(service: Sandbox, env: CliHost['env']): CliHost['env'] {
  const noProxy = [env['no_proxy'] || env['NO_PROXY'], '127.0.0.1'].filter(Boolean).join(',');
  return { ...withoutKeys(env), no_proxy: noProxy, NO_PROXY: noProxy, ...sandboxVariables(service) };
}

/** Exit codes of shells for a command that does not exist or is not executable. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs a command in place of this process: with its terminal or pipes, forwarding its signals.
 * @param words the program and its arguments, without a shell.
 * @throws the reason of an abort before the start.
 * @returns the exit code like a shell: 128 plus the signal's number if a signal ended the command.
 */
export async function runChild(words: readonly string[], env: CliHost['env'], cli: CliHost): Promise<number> {
  if (cli.signal.aborted) throw abortReason(cli.signal);
  const [program = '', ...rest] = words;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: 'inherit', env });
    cli.passSignals((name) => child.kill(name));
    child.on('error', (error) => {
      // The child is running; only a signal could not be sent to it.
      if (child.pid !== undefined) return;
      const isMissing = isSystemError(error) && error.code === 'ENOENT';
      const problem = isMissing ? 'no such command' : `cannot run the command: ${error.message}`;
      printFailure(usageError(`${program}: ${problem}`), cli.stderr);
      resolve(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
