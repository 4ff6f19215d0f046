import { abortReason, TickhaulError } from '../base/errors.js';
import { orAborted, wait } from '../base/wait.js';
import { FeedLines } from '../dialects/feed-lines.js';
import type { Client } from '../service/http/client.js';
import type { LinePump } from './line-pump.js';
import type { PlannedOption } from './plan.js';
import { holdSession } from './session.js';
import type { LiveEvent, LiveTimes } from './types.js';

/** Connections that fail in a row (contract, Stream). */
const MOST_FAILURES = 50;
/** How a connection ends on which nothing happened that was asked for. */
const QUIET_ENDS: ReadonlySet<string> = new Set(['stalled', 'reset']);
/** A session that lasted so many milliseconds was well: the waits begin anew. */
const WELL_MS = 10_000;

export interface ExchangeInput {
  readonly planned: PlannedOption;
  readonly client: Client;
  readonly pump: LinePump;
  /** Microseconds. */
  readonly now: () => number;
  readonly times: LiveTimes;
  readonly tell: (event: LiveEvent) => void;
  readonly signal: AbortSignal;
}

/** Too many lines wait for their reader. */
class ReaderBehind extends Error {}

/** More of one exchange are of no use to anybody. */
const MOST_COMPLAINTS = 100;

/**
 * The lines of one exchange, over as many connections as it takes. Never resolves.
 * @throws `unreachable` after 50 connections in a row that failed; usage error; the signal's reason when aborted.
 */
export async function streamExchange(input: ExchangeInput): Promise<never> {
  const { planned, pump, times, tell, signal } = input;
  const { exchange } = planned.option;
  const lines = new FeedLines({ ...planned.option, plan: planned.plan, isLive: true });
  const complaints = new Set<string>();
  let wasHeard = false;
  // What an exchange complains of in one session, it does in each, and may name that session.
  const onComplaint = (message: string): void => {
    if (wasHeard || complaints.has(message) || complaints.size >= MOST_COMPLAINTS) return;
    complaints.add(message);
    tell({ event: 'warning', message });
  };
  let failures = 0;
  let attempt = 0;
  for (;;) {
    const began = performance.now();
    const { error, messages, hadLines } = await session(input, lines, onComplaint);
    wasHeard ||= messages > 0;
    if (signal.aborted) throw abortReason(signal);
    lines.disconnect(pump.lines);
    pump.wake();
    if (error instanceof ReaderBehind) {
      tell({ event: 'behind', exchange, bytes: pump.waiting });
      await orAborted(pump.idle(), signal);
      continue;
    }
    if (!(error instanceof TickhaulError) || error.code === 'usage') throw error;
    const hasFailed = messages === 0 || (!hadLines && !QUIET_ENDS.has(error.code));
    failures = hasFailed ? failures + 1 : 0;
    attempt = performance.now() - began >= WELL_MS ? 1 : attempt + 1;
    if (failures >= MOST_FAILURES) throw gaveUp(exchange, failures, error);
    const waitMs = times.waitMs(error, attempt);
    tell({ event: 'disconnect', exchange, error, failures, waitMs });
    await wait(waitMs, signal);
  }
}

interface Ended {
  readonly error: unknown;
  readonly messages: number;
  readonly hadLines: boolean;
}

/** One session, from its beginning to its end. */
async function session(
  { planned, client, pump, now, times, signal }: ExchangeInput,
  lines: FeedLines,
  onComplaint: (message: string) => void,
): Promise<Ended> {
  const { exchange, timeoutIntervalMs } = planned.option;
  let messages = 0;
  let hadLines = false;
  const onMessage = (message: unknown): void => {
    messages++;
    const { lines: out } = pump;
    const before = out.count;
    lines.read(message, now(), out);
    if (out.count === before) return;
    hadLines = true;
    if (pump.isBehind) throw new ReaderBehind();
    pump.wake();
  };
  const { filters, open } = planned;
  const { settleMs, handshakeMs } = times;
  try {
    return await holdSession({
      exchange,
      filters,
      open,
      client,
      timeoutIntervalMs,
      handshakeMs,
      settleMs,
      onMessage,
      onComplaint,
      signal,
    });
  } catch (error) {
    return { error, messages, hadLines };
  }
}

function gaveUp(exchange: string, failures: number, last: TickhaulError): TickhaulError {
  return new TickhaulError(
    'unreachable',
    `${exchange}: ${failures} connections in a row failed, the last one so: ${last.message}`,
    { cause: last },
  );
}
