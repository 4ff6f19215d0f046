import { onAbort } from '../base/wait.js';
import { reconnectDelayMs } from './connection-errors.js';
import { LinePump } from './line-pump.js';
import type { LiveInput, LiveTimes } from './live-options.js';
import { planStream } from './plan-stream.js';
import { streamExchange } from './stream-exchange.js';

/** Maximum bytes of lines that wait for a slow reader. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMES: LiveTimes = { supplementDelayMs: 1000, handshakeMs: 10_000, reconnectDelayMs };

/**
 * Streams normalized live messages of exchanges, each line as its message arrives. Reconnects after any
 * disconnect; books and computed data start again then. Resolves after the signal is aborted and all lines
 * are written.
 * @throws usage error before any connection; TickhaulError `unreachable` after 50 failed connections in a row
 * to one exchange; what the output throws; OutputStalledError.
 */
export async function streamLive(input: LiveInput): Promise<void> {
  const { options, client, cache, output, written, emit, signal } = input;
  const { gatherMs = 0, maxWaitingBytes = MAX_WAITING_BYTES } = input;
  const times = { ...DEFAULT_TIMES, ...input.times };
  const metadata = { cache, signal };
  const planning = options.map((option) => planStream(option, { client, metadata, emit }));
  const plans = await Promise.all(planning).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined;
  });
  // Aborted during planning.
  if (!plans) return;
  const pump = new LinePump({ output, written, maxWaitingBytes, gatherMs });
  const ended = new AbortController();
  const removeListener = onAbort(signal, () => ended.abort(signal.reason));
  const now = createLocalClock();
  const streams = plans.map((planned) =>
    streamExchange({ planned, client, pump, now, times, emit, signal: ended.signal }),
  );
  try {
    await Promise.race([...streams, pump.failed]);
  } catch (error) {
    if (!signal.aborted) throw error;
    // An error of the output is thrown again by `pump.idle` below.
  } finally {
    ended.abort();
    removeListener();
    await Promise.allSettled(streams);
    await pump.waitForIdle(input.writeTimeoutMs);
  }
}

/**
 * Creates a clock in microseconds since the epoch that never goes back within a millisecond: the system
 * clock, which has milliseconds, refined by a clock of higher resolution.
 */
export function createLocalClock(
  wallMs: () => number = Date.now,
  fineMs: () => number = () => performance.now(),
): () => number {
  let offset = wallMs() * 1000 - fineMs() * 1000;
  return () => {
    const wall = wallMs() * 1000;
    const fine = fineMs() * 1000;
    const time = Math.min(Math.max(wall, fine + offset), wall + 999);
    offset = time - fine;
    return Math.floor(time);
  };
}
