import { onAbort } from '../base/wait.js';
import { localClock } from './clock.js';
import { waitMs } from './ended.js';
import { streamExchange } from './exchange.js';
import { LinePump } from './line-pump.js';
import { planOption } from './plan.js';
import type { LiveInput, LiveTimes } from './types.js';

/** Bytes of lines that may wait for a slow reader. */
const MOST_WAITING = 16 * 1024 * 1024;
const TIMES: LiveTimes = { settleMs: 1000, handshakeMs: 10_000, waitMs };

/**
 * The normalized messages of exchanges, live, as one stream: each line as its message arrives. It connects anew whenever
 * a connection ends; books and what is computed begin anew then. Resolves when the signal ends it and all lines are
 * written.
 * @throws usage error before anything is connected; TickhaulError `unreachable` when an exchange fails 50 times in a row;
 *   what the output throws; OutputStuck.
 */
export async function streamLive(input: LiveInput): Promise<void> {
  const { options, client, cache, output, written, tell, signal } = input;
  const { gatherMs = 0, mostWaiting: most = MOST_WAITING } = input;
  const times = { ...TIMES, ...input.times };
  const metadata = { cache, signal };
  const planning = options.map((option) => planOption(option, { client, metadata, tell }));
  const all = await Promise.all(planning).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined;
  });
  // It was ended before it began, which is as well.
  if (!all) return;
  const pump = new LinePump({ output, written, most, gatherMs });
  const over = new AbortController();
  const leave = onAbort(signal, () => over.abort(signal.reason));
  const now = localClock();
  const streams = all.map((planned) =>
    streamExchange({ planned, client, pump, now, times, tell, signal: over.signal }),
  );
  try {
    await Promise.race([...streams, pump.failed]);
  } catch (error) {
    if (!signal.aborted) throw error;
    // What the output threw is thrown again below.
  } finally {
    over.abort();
    leave();
    await Promise.allSettled(streams);
    await pump.idle(input.patienceMs);
  }
}
