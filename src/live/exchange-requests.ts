import { TickhaulError, usageError } from '../base/errors.js';
import { wait } from '../base/wait.js';
import { withRetries } from '../base/with-retries.js';
import {
  ADDRESS_REQUESTS,
  CONNECTION_SUPPLEMENTS,
  HTTP_SUPPLEMENTS,
  type HttpSupplement,
} from '../exchange-adapters/live-feeds/feed-supplements.js';
import type { LiveFeed, SendMessage } from '../exchange-adapters/live-feeds/live-feed.js';
import { StaleSnapshotError } from '../exchange-adapters/own/numbered-books.js';
import { discardBody, readBody } from '../http/watched-body.js';
import type { FeedFilter } from '../service/feed-filter.js';
import { sendRequest } from '../service/send-request.js';
import type { ServiceClient } from '../service/service-client.js';
import { createHandshakeError } from './connection-errors.js';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 120_000;

/**
 * Requests JSON from an exchange's public API, with retries; sends no secrets.
 * @throws TickhaulError `rate_limited`, `no_access`, `rejected`, `bad_answer`, and as for any request.
 */
function requestJson(
  client: ServiceClient,
  { method, url }: { readonly method: 'GET' | 'POST'; readonly url: string },
  signal: AbortSignal,
): Promise<unknown> {
  if (!URL.canParse(url)) throw usageError(`"${url}" is not a URL`);
  const headers = { accept: 'application/json' };
  const attempt = async (): Promise<unknown> => {
    const response = await sendRequest(client, { method, url: new URL(url), headers }, signal);
    if (response.status !== 200) {
      await discardBody(response.body);
      throw createHandshakeError(response.name, response.status, response.headers);
    }
    const text = (await readBody(response.body)).toString();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new TickhaulError('bad_answer', `${response.name}: expected JSON`, { cause });
    }
  };
  return withRetries(attempt, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}

/** Name of an environment variable of an exchange, in upper case with `_` for `-`. */
function environmentVariable(prefix: string, exchange: string): string {
  return `${prefix}_${exchange.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Resolves the address of a connection: `WSS_URL_<EXCHANGE>`, else the exchange's own, which some exchanges
 * give on request only: the feed's is undefined then. A path of the feed is added to either.
 * @throws usage error if the variable is not a WebSocket address; as `requestJson`.
 */
export async function resolveSocketAddress(
  client: ServiceClient,
  exchange: string,
  { address: own, path = '' }: Pick<LiveFeed, 'address' | 'path'>,
  signal: AbortSignal,
): Promise<URL> {
  const name = environmentVariable('WSS_URL', exchange);
  const configured = client.config.env[name]?.trim();
  const address = configured || own || (await requestAddress(client, exchange, signal));
  if (!/^wss?:\/\//i.test(address) || !URL.canParse(address)) {
    if (configured) throw usageError(`${name}: not a WebSocket address; use the form wss://host/path`);
    throw new TickhaulError('bad_answer', `${exchange}: the response has no address to connect to`);
  }
  return new URL(path === '' ? address : address.replace(/\/+$/, '') + path);
}

/** Resolves the host of HTTP requests: `REST_URL_<EXCHANGE>`, else the exchange's own. */
function resolveRestHost({ config }: ServiceClient, exchange: string, own: string): string {
  return config.env[environmentVariable('REST_URL', exchange)]?.trim().replace(/\/+$/, '') || own;
}

async function requestAddress(client: ServiceClient, exchange: string, signal: AbortSignal): Promise<string> {
  const request = ADDRESS_REQUESTS[exchange];
  if (request === undefined) throw usageError(`${exchange}: no live address is known`);
  const url = resolveRestHost(client, exchange, request.host) + request.path;
  return request.readAddress(await requestJson(client, { method: 'POST', url }, signal)) ?? '';
}

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

interface SupplementInput {
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
