import { startDeadline } from '../base/deadline.js';
import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { readDuration } from '../commands/arguments/read-arguments.js';
import type { CliHost, CommandArgs } from './arguments/command.js';

/** For commands that ask a few short questions. */
const USUAL_MS = 60_000;

export const TIMEOUT_FLAG = {
  type: 'string',
  requiresArg: true,
  describe: 'time for all of it, with the waits that the server asks for (default: 1m)',
} as const;

/**
 * Does some work that the signal of its `CliHost` ends when the time that `--timeout` gives is over.
 * @param name of the command, for the error.
 * @throws TickhaulError `timed_out`, where the work throws the reason of its abort.
 */
export async function withinTimeout<T>(
  args: CommandArgs,
  cli: CliHost,
  name: string,
  work: (cli: CliHost, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const timeoutMs = readDuration(args, 'timeout') ?? USUAL_MS;
  const late = `tickhaul ${name} was not finished within ${formatDuration(timeoutMs)}; --timeout gives it more`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('timed_out', late));
  try {
    return await work({ ...cli, signal: AbortSignal.any([cli.signal, deadline.signal]) }, timeoutMs);
  } finally {
    deadline.clear();
  }
}
