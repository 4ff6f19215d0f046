import { TickhaulError, usageError } from '../base/errors.js';
import { withRetries } from '../base/with-retries.js';
import { ADDRESS_REQUESTS } from '../exchange-adapters/live-feeds/feed-supplements.js';
import type { LiveFeed } from '../exchange-adapters/live-feeds/live-feed.js';
import { discardBody, readBody } from '../http/watched-body.js';
import { sendRequest } from '../service/send-request.js';
import type { ServiceClient } from '../service/service-client.js';
import { createHandshakeError } from './connection-errors.js';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 120_000;

/**
 * Requests JSON from an exchange's public API, with retries; sends no secrets.
 * @throws TickhaulError `rate_limited`, `no_access`, `rejected`, `bad_answer`, and as for any request.
 */
export function requestJson(
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
export function resolveRestHost({ config }: ServiceClient, exchange: string, own: string): string {
  return config.env[environmentVariable('REST_URL', exchange)]?.trim().replace(/\/+$/, '') || own;
}

async function requestAddress(client: ServiceClient, exchange: string, signal: AbortSignal): Promise<string> {
  const request = ADDRESS_REQUESTS[exchange];
  if (request === undefined) throw usageError(`${exchange}: no live address is known`);
  const url = resolveRestHost(client, exchange, request.host) + request.path;
  return request.readAddress(await requestJson(client, { method: 'POST', url }, signal)) ?? '';
}
