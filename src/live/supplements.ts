import { TickhaulError } from '../base/errors.js';
import { wait } from '../base/wait.js';
import type { LiveFeed, Send } from '../dialects/live/live-feed.js';
import { FETCHED, type Fetched, REQUESTED } from '../dialects/live/supplements.js';
import type { Filter } from '../service/feed-filter.js';
import type { Client } from '../service/http/client.js';
import { restHost } from './address.js';
import { askJson } from './ask-json.js';

/** Asks over the connection for what the exchange sends only then. Ends with the signal, without an error. */
export async function sendRequests(
  exchange: string,
  feed: LiveFeed,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  for (const { channel, settleMs, pauseMs, request } of REQUESTED[exchange] ?? []) {
    const symbols = symbolsOf(channel, feed.filters);
    if (symbols.length > 0) await wait(settleMs, signal);
    for (const symbol of symbols) {
      send(request(symbol));
      await wait(pauseMs, signal);
    }
  }
}

export interface FetchInput {
  readonly exchange: string;
  readonly filters: readonly Filter[];
  readonly client: Client;
  readonly onMessage: (message: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Asks for what the filters need of requests of HTTP: some once, some again and again. One that is to be asked for again
 * may fail; it is left out then.
 * @throws TickhaulError as `askJson` does, for what is needed once; what `onMessage` throws; the reason of an abort.
 */
export async function fetchSupplements(input: FetchInput): Promise<void> {
  const { exchange, filters } = input;
  const wanted = (FETCHED[exchange] ?? []).filter(({ channel }) =>
    filters.some((filter) => filter.channel === channel),
  );
  await Promise.all(wanted.map((fetched) => keepFetching(fetched, input)));
}

async function keepFetching(fetched: Fetched, input: FetchInput): Promise<void> {
  const { channel, everyMs, pauseMs, isForAll } = fetched;
  const symbols = isForAll === true ? [''] : symbolsOf(channel, input.filters);
  do {
    for (const symbol of symbols) {
      for (const message of await fetchOne(fetched, symbol, input)) input.onMessage(message);
      await wait(pauseMs, input.signal);
    }
    if (everyMs !== undefined) await wait(everyMs, input.signal);
  } while (everyMs !== undefined);
}

async function fetchOne(
  { host, path, messages, everyMs }: Fetched,
  symbol: string,
  { exchange, client, signal }: FetchInput,
): Promise<readonly object[]> {
  const url = restHost(client, exchange, host) + path(symbol);
  try {
    return messages(await askJson(client, { method: 'GET', url }, signal), symbol);
  } catch (error) {
    const isOver = signal.aborted || !(error instanceof TickhaulError);
    if (isOver || everyMs === undefined) throw error;
    return [];
  }
}

function symbolsOf(channel: string, filters: readonly Filter[]): readonly string[] {
  const symbols = filters
    .filter((filter) => filter.channel === channel)
    .flatMap(({ symbols }) => symbols ?? []);
  return [...new Set(symbols)];
}
