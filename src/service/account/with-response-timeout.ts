import { startDeadline } from '../../base/deadline.js';
import { TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';

/**
 * Does what asks for a small answer and reads it, and ends it when that takes too long, however slowly bytes drip in.
 * @param name host and path, for the error. @param patienceMs milliseconds for all of it.
 * @throws TickhaulError `stalled`; `reset` for one that is cut short, since no data are corrupt; what `ask` throws.
 */
export async function withResponseTimeout<T>(
  name: string,
  patienceMs: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = `${name}: no whole answer within ${formatDuration(patienceMs)}`;
  const deadline = startDeadline(patienceMs, new TickhaulError('stalled', late));
  try {
    return await ask(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'short_body') throw error;
    throw new TickhaulError('reset', error.message, { cause: error });
  } finally {
    deadline.clear();
  }
}
