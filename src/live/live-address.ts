import { TickhaulError, usageError } from '../base/errors.js';
import { ADDRESS_REQUESTS } from '../dialects/live/feed-supplements.js';
import type { LiveFeed } from '../dialects/live/live-feed.js';
import type { ServiceClient } from '../service/service-client.js';
import { requestJson } from './request-json.js';

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
