import { abortReason, TickhaulError } from '../base/errors.js';
import { rejectOnAbort, wait } from '../base/wait.js';
import { FeedLines } from '../dialects/feed-lines.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { LinePump } from './line-pump.js';
import type { LiveEvent, LiveTimes } from './live-options.js';
import type { PlannedStream } from './plan-stream.js';
import { runLiveSession } from './run-live-session.js';

/** Connections that fail in a row (contract, Stream). */
const MAX_FAILURES = 50;
/** How a connection ends on which nothing happened that was asked for. */
const SILENT_END_CODES: ReadonlySet<string> = new Set(['stalled', 'reset']);
/** A session that lasted so many milliseconds was well: the waits begin anew. */
const HEALTHY_SESSION_MS = 10_000;

export interface ExchangeStreamInput {
  readonly planned: PlannedStream;
  readonly client: ServiceClient;
  readonly pump: LinePump;
  /** Microseconds. */
  readonly now: () => number;
  readonly times: LiveTimes;
  readonly emit: (event: LiveEvent) => void;
  readonly signal: AbortSignal;
}

/** Too many lines wait for their reader. */
class ReaderTooSlowError extends Error {}

/** More of one exchange are of no use to anybody. */
const MAX_EXCHANGE_ERRORS = 100;

/**
 * The lines of one exchange, over as many connections as it takes. Never resolves.
 * @throws `unreachable` after 50 connections in a row that failed; usage error; the signal's reason when aborted.
 */
export async function streamExchange(input: ExchangeStreamInput): Promise<never> {
  const { planned, pump, times, emit, signal } = input;
  const { exchange } = planned.option;
  const lines = new FeedLines({ ...planned.option, plan: planned.plan, isLive: true });
  const complaints = new Set<string>();
  let wasHeard = false;
  // What an exchange complains of in one session, it does in each, and may name that session.
  const onExchangeError = (message: string): void => {
    if (wasHeard || complaints.has(message) || complaints.size >= MAX_EXCHANGE_ERRORS) return;
    complaints.add(message);
    emit({ event: 'warning', message });
  };
  let failures = 0;
  let attempt = 0;
  for (;;) {
    const began = performance.now();
    const { error, messages, hadLines } = await runOneSession(input, lines, onExchangeError);
    wasHeard ||= messages > 0;
    if (signal.aborted) throw abortReason(signal);
    lines.disconnect(pump.lines);
    pump.wake();
    if (error instanceof ReaderTooSlowError) {
      emit({ event: 'behind', exchange, bytes: pump.waiting });
      await rejectOnAbort(pump.idle(), signal);
      continue;
    }
    if (!(error instanceof TickhaulError) || error.code === 'usage') throw error;
    const hasFailed = messages === 0 || (!hadLines && !SILENT_END_CODES.has(error.code));
    failures = hasFailed ? failures + 1 : 0;
    attempt = performance.now() - began >= HEALTHY_SESSION_MS ? 1 : attempt + 1;
    if (failures >= MAX_FAILURES) throw createGaveUpError(exchange, failures, error);
    const waitMs = times.reconnectDelayMs(error, attempt);
    emit({ event: 'disconnect', exchange, error, failures, waitMs });
    await wait(waitMs, signal);
  }
}

interface SessionResult {
  readonly error: unknown;
  readonly messages: number;
  readonly hadLines: boolean;
}

/** One session, from its beginning to its end. */
async function runOneSession(
  { planned, client, pump, now, times, signal }: ExchangeStreamInput,
  lines: FeedLines,
  onExchangeError: (message: string) => void,
): Promise<SessionResult> {
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
    if (pump.isBehind) throw new ReaderTooSlowError();
    pump.wake();
  };
  const { filters, open } = planned;
  const { subscribeDelayMs, handshakeMs } = times;
  try {
    return await runLiveSession({
      exchange,
      filters,
      open,
      client,
      timeoutIntervalMs,
      handshakeMs,
      settleMs: subscribeDelayMs,
      onMessage,
      onExchangeError,
      signal,
    });
  } catch (error) {
    return { error, messages, hadLines };
  }
}

function createGaveUpError(exchange: string, failures: number, last: TickhaulError): TickhaulError {
  return new TickhaulError(
    'unreachable',
    `${exchange}: ${failures} connections in a row failed, the last one so: ${last.message}`,
    { cause: last },
  );
}
