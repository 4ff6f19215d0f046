import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
import { readDuration } from '../operations/arguments/read-arguments.js';
import type { CliHost, CommandArgs } from './arguments/command.js';

/** Default time limit of commands that send a few short requests. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** The option of such commands. */
export const TIMEOUT_OPTION = {
  type: 'duration',
  description: 'time limit of the command, including waits that the server requests',
  default: '1m',
} as const;

/**
 * Runs `work` with a `CliHost` whose signal aborts after `--timeout`.
 * @param name of the command, for the error.
 * @throws TickhaulError `timed_out`, if the work throws the reason of its abort.
 */
export async function withinTimeout<T>(
  args: CommandArgs,
  cli: CliHost,
  name: string,
  work: (cli: CliHost, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const timeoutMs = readDuration(args, 'timeout') ?? DEFAULT_TIMEOUT_MS;
  const message = `tickhaul ${name} was not finished within ${formatDuration(timeoutMs)}; raise --timeout`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('timed_out', message));
  try {
    return await work({ ...cli, signal: AbortSignal.any([cli.signal, deadline.signal]) }, timeoutMs);
  } finally {
    deadline.clear();
  }
}
