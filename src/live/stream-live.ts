import { abortReason, judgeError, TickhaulError, usageError } from '../base/errors.js';
import { nearestNames } from '../base/text.js';
import { onAbort, rejectOnAbort, wait } from '../base/wait.js';
import { FeedLines } from '../exchange-adapters/feed-lines.js';
import { type FeedPlan, planFeed } from '../exchange-adapters/feed-plan.js';
import {
  type FeedOpener,
  maxStreamsPerConnection,
  planLiveFeeds,
  supportsWholeChannels,
} from '../exchange-adapters/live-feeds/plan-live-feeds.js';
import { hasOwnNormalizers } from '../exchange-adapters/own/normalizer-eras.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { MetadataOptions } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import { reconnectDelayMs } from './connection-errors.js';
import { LinePump } from './line-pump.js';
import type { LiveEvent, LiveInput, LiveOption, LiveTimes } from './live-options.js';
import { runLiveSession } from './run-live-session.js';

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
    // An error of the output is thrown again by `pump.waitForIdle` below.
  } finally {
    ended.abort();
    removeListener();
    await Promise.allSettled(streams);
    await pump.waitForIdle(input.writeTimeoutMs);
  }
}

/** Maximum failed connections in a row (docs/spec/local-server.md#live-streams). */
const MAX_FAILURES = 50;
/** A session of at least this duration resets the reconnect delay. */
const HEALTHY_SESSION_MS = 10_000;

interface ExchangeStreamInput {
  readonly planned: PlannedStream;
  readonly client: ServiceClient;
  readonly pump: LinePump;
  /** Microseconds. */
  readonly now: () => number;
  readonly times: LiveTimes;
  readonly emit: (event: LiveEvent) => void;
  readonly signal: AbortSignal;
}

/** The output is too slow for the lines of the stream. */
class ReaderTooSlowError extends Error {}

/** Maximum number of distinct errors to report for one exchange. */
const MAX_EXCHANGE_ERRORS = 100;

/**
 * Streams the lines of one exchange over successive sessions. Never resolves.
 * @throws `unreachable` after 50 failed connections in a row; usage error; the signal's reason after an
 * abort.
 */
async function streamExchange(input: ExchangeStreamInput): Promise<never> {
  const { planned, emit } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const lines = new FeedLines({ ...planned.option, plan: planned.plan, isLive: true, warn });
  try {
    return await runSessions(input, lines);
  } finally {
    lines.finish();
  }
}

/** Runs sessions, one after another, until an error ends the stream. */
async function runSessions(input: ExchangeStreamInput, lines: FeedLines): Promise<never> {
  const { planned, pump, times, emit, signal } = input;
  const { exchange } = planned.option;
  const reportedErrors = new Set<string>();
  let hadMessages = false;
  // Errors of the first working session repeat in each later one, often with the session's id, so later ones
  // are dropped.
  const onExchangeError = (message: string): void => {
    if (hadMessages || reportedErrors.has(message) || reportedErrors.size >= MAX_EXCHANGE_ERRORS) return;
    reportedErrors.add(message);
    emit({ event: 'warning', message });
  };
  let failures = 0;
  let attempt = 0;
  for (;;) {
    const startMs = performance.now();
    const { error, messages, hadLines } = await runOneSession(input, lines, onExchangeError);
    hadMessages ||= messages > 0;
    if (signal.aborted) throw abortReason(signal);
    lines.addDisconnect(pump.lines);
    pump.scheduleWrite();
    if (error instanceof ReaderTooSlowError) {
      emit({ event: 'behind', exchange, bytes: pump.waitingBytes });
      await rejectOnAbort(pump.waitForIdle(), signal);
      continue;
    }
    if (!(error instanceof TickhaulError) || judgeError(error).endsStream) throw error;
    // In a quiet market, only other messages arrive on a working connection.
    const hasFailed = messages === 0 || (!hadLines && !judgeError(error).isDisconnect);
    failures = hasFailed ? failures + 1 : 0;
    attempt = performance.now() - startMs >= HEALTHY_SESSION_MS ? 1 : attempt + 1;
    if (failures >= MAX_FAILURES) throw createStreamGaveUpError(exchange, failures, error);
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

/** Runs one session to its end. */
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
    lines.addParsedMessage(message, now(), out);
    if (out.count === before) return;
    hadLines = true;
    if (pump.isBehind) throw new ReaderTooSlowError();
    pump.scheduleWrite();
  };
  const { filters, open } = planned;
  const { supplementDelayMs, handshakeMs } = times;
  try {
    return await runLiveSession({
      exchange,
      filters,
      open,
      client,
      timeoutIntervalMs,
      handshakeMs,
      supplementDelayMs,
      onMessage,
      onExchangeError,
      signal,
    });
  } catch (error) {
    return { error, messages, hadLines };
  }
}

function createStreamGaveUpError(exchange: string, failures: number, last: TickhaulError): TickhaulError {
  return new TickhaulError(
    'unreachable',
    `${exchange}: ${failures} connections in a row failed; the last error was: ${last.message}`,
    { cause: last },
  );
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

/** One exchange of a stream, with its subscriptions and normalizers. */
interface PlannedStream {
  readonly option: LiveOption;
  readonly plan: FeedPlan;
  readonly filters: readonly FeedFilter[];
  readonly open: FeedOpener;
}

interface StreamPlanInput {
  readonly client: ServiceClient;
  readonly metadata: MetadataOptions;
  readonly emit: (event: LiveEvent) => void;
}

/**
 * Plans the stream of one exchange. Its record is requested only if no symbol is named; otherwise the stored
 * record serves for warnings about symbols that it does not list.
 * @throws usage error for data that cannot be normalized or subscribed to, and for an unknown exchange; as
 * any request.
 */
export async function planStream(option: LiveOption, input: StreamPlanInput): Promise<PlannedStream> {
  const { exchange, types } = option;
  const { client, metadata } = input;
  const now = Date.now() * 1000;
  const planFor = (symbols: readonly string[] | undefined): Promise<FeedPlan> =>
    planFeed({ exchange, types, symbols, period: { start: now, end: now + 1 }, isLive: true });
  const named = option.symbols?.length ? option.symbols : undefined;
  if (named) await warnOfUnknownSymbols(option, named, input);
  const basePlan = await planFor(named).catch(async (error: unknown) => {
    const { createUnknownExchangeError } = await import('../service/records/fetch-records.js');
    // For an unknown exchange, report that instead of its missing types.
    throw (
      (hasOwnNormalizers(exchange)
        ? undefined
        : await createUnknownExchangeError(client, exchange, metadata)) ?? error
    );
  });
  for (const type of basePlan.missingTypes) {
    input.emit({ event: 'warning', message: `${exchange} has no ${type} messages; skipping them` });
  }
  const plan =
    named || supportsWholeChannels(exchange)
      ? basePlan
      : await planFor(await fetchStreamSymbols(option, basePlan, input));
  const filters = collectFilters(plan);
  return { option, plan, filters, open: await planLiveFeeds(exchange, filters) };
}

function collectFilters({ segments }: FeedPlan): readonly FeedFilter[] {
  return segments.flatMap(({ filters }) => filters);
}

/** @throws usage error if there are more symbols than one connection supports. */
async function fetchStreamSymbols(
  { exchange }: LiveOption,
  plan: FeedPlan,
  { client, metadata }: StreamPlanInput,
): Promise<readonly string[]> {
  const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
  const { symbols } = await fetchRecord(client, exchange, FIELDS.activeNames, metadata);
  if (symbols.length === 0) throw usageError(`${exchange} has no active symbols`);
  const channels = new Set(collectFilters(plan).map(({ channel }) => channel)).size;
  const maxSymbols = Math.floor(maxStreamsPerConnection(exchange) / channels);
  if (symbols.length <= maxSymbols) return symbols;
  throw usageError(
    `${exchange} has ${symbols.length} active symbols, but one connection supports ${maxSymbols} for these types; list some, such as ${exchange}:${symbols.slice(0, 2).join(',')}`,
  );
}

/** Only warns, since a symbol may be newer than the record. */
async function warnOfUnknownSymbols(
  { exchange }: LiveOption,
  named: readonly string[],
  { client, metadata, emit }: StreamPlanInput,
): Promise<void> {
  const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
  const names = await fetchRecord(client, exchange, FIELDS.names, { ...metadata, offline: true }).catch(
    ignoreUnavailable,
  );
  if (names === undefined || names.symbols.length === 0) return;
  const known = new Set(names.symbols.map((symbol) => symbol.toUpperCase()));
  for (const symbol of named.filter((symbol) => !known.has(symbol.toUpperCase()))) {
    const near = nearestNames(symbol, names.symbols);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    emit({ event: 'warning', message: `the record of ${exchange} does not list ${symbol}${hint}` });
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof TickhaulError) return undefined;
  throw error;
}
