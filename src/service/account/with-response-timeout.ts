import { TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { startDeadline } from '../../base/wait.js';

/**
 * Sends a request and reads its small response, and aborts both after a time limit, even if bytes keep arriving.
 * @param name host and path, for the error. @param timeoutMs limit for request and response together.
 * @throws TickhaulError `stalled`; `reset` for a truncated response, since no data are corrupt; errors of `send`.
 */
export async function withResponseTimeout<T>(
  name: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const message = `${name}: response not complete within ${formatDuration(timeoutMs)}`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('stalled', message));
  try {
    return await send(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'short_body') throw error;
    throw new TickhaulError('reset', error.message, { cause: error });
  } finally {
    deadline.clear();
  }
}
