import { TickhaulError } from '../base/errors.js';
import { wait } from '../base/wait.js';
import {
  CONNECTION_SUPPLEMENTS,
  HTTP_SUPPLEMENTS,
  type HttpSupplement,
} from '../exchange-adapters/live-feeds/feed-supplements.js';
import type { LiveFeed, SendMessage } from '../exchange-adapters/live-feeds/live-feed.js';
import { StaleSnapshotError } from '../exchange-adapters/own/numbered-books.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { ServiceClient } from '../service/service-client.js';
import { requestJson, resolveRestHost } from './exchange-requests.js';

/**
 * Requests supplements over the connection itself, for data that an exchange sends only on request.
 * @throws the signal's reason after an abort.
 */
export async function sendConnectionSupplements(
  exchange: string,
  feed: LiveFeed,
  send: SendMessage,
  signal: AbortSignal,
): Promise<void> {
  for (const { channel, delayMs, pauseMs, request } of CONNECTION_SUPPLEMENTS[exchange] ?? []) {
    const symbols = channelSymbols(channel, feed.filters);
    if (symbols.length > 0) await wait(delayMs, signal);
    for (const symbol of symbols) {
      send(request(symbol));
      await wait(pauseMs, signal);
    }
  }
}

export interface SupplementInput {
  readonly exchange: string;
  readonly filters: readonly FeedFilter[];
  readonly client: ServiceClient;
  /** Delay in milliseconds before a snapshot is requested again. */
  readonly supplementDelayMs: number;
  readonly onMessage: (message: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes the HTTP requests that the filters need: some once, others repeatedly. A repeated request may fail;
 * its result is then skipped.
 * @throws TickhaulError as `requestJson`, for requests made once; what `onMessage` throws; the signal's
 * reason after an abort.
 */
export async function fetchSupplements(input: SupplementInput): Promise<void> {
  const { exchange, filters } = input;
  const supplements = (HTTP_SUPPLEMENTS[exchange] ?? []).filter(({ channel }) =>
    filters.some((filter) => filter.channel === channel),
  );
  await Promise.all(supplements.map((supplement) => pollSupplement(supplement, input)));
}

async function pollSupplement(supplement: HttpSupplement, input: SupplementInput): Promise<void> {
  const { channel, intervalMs, pauseMs, isForAll } = supplement;
  const symbols = isForAll === true ? [''] : channelSymbols(channel, input.filters);
  do {
    for (const symbol of symbols) {
      await addSupplement(supplement, symbol, input);
      await wait(pauseMs, input.signal);
    }
    if (intervalMs !== undefined) await wait(intervalMs, input.signal);
  } while (intervalMs !== undefined);
}

/** Exchanges answer from a cache that may be older than the connection. */
const MAX_STALE_SNAPSHOTS = 10;

/** Fetches a supplement again if it is a snapshot that is older than the changes of its book. */
async function addSupplement(
  supplement: HttpSupplement,
  symbol: string,
  input: SupplementInput,
): Promise<void> {
  for (let stale = 0; ; stale++) {
    const messages = await fetchSupplement(supplement, symbol, input);
    try {
      for (const message of messages) input.onMessage(message);
      return;
    } catch (error) {
      if (!(error instanceof StaleSnapshotError) || stale >= MAX_STALE_SNAPSHOTS) throw error;
      await wait(input.supplementDelayMs, input.signal);
    }
  }
}

async function fetchSupplement(
  { host, path, toMessages, intervalMs }: HttpSupplement,
  symbol: string,
  { exchange, client, signal }: SupplementInput,
): Promise<readonly object[]> {
  const url = resolveRestHost(client, exchange, host) + path(symbol);
  try {
    return toMessages(await requestJson(client, { method: 'GET', url }, signal), symbol);
  } catch (error) {
    const isOver = signal.aborted || !(error instanceof TickhaulError);
    if (isOver || intervalMs === undefined) throw error;
    return [];
  }
}

function channelSymbols(channel: string, filters: readonly FeedFilter[]): readonly string[] {
  const symbols = filters
    .filter((filter) => filter.channel === channel)
    .flatMap(({ symbols }) => symbols ?? []);
  return [...new Set(symbols)];
}
