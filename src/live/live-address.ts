import { TickhaulError, usageError } from '../base/errors.js';
import { ADDRESS_REQUESTS } from '../dialects/live/feed-supplements.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { requestJson } from './request-json.js';

/** The name of an exchange in a variable: upper case, `-` as `_`. */
function environmentVariable(prefix: string, exchange: string): string {
  return `${prefix}_${exchange.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * The address of a connection: that of `WSS_URL_<EXCHANGE>`, else the exchange's own, which some have to be asked for.
 * @param own undefined where it has to be asked for.
 * @throws usage error where the variable holds no address of a WebSocket; as a request does.
 */
export async function resolveSocketAddress(
  client: ServiceClient,
  exchange: string,
  own: string | undefined,
  signal: AbortSignal,
): Promise<URL> {
  const name = environmentVariable('WSS_URL', exchange);
  const given = client.config.env[name]?.trim();
  const address = given || own || (await requestAddress(client, exchange, signal));
  if (!/^wss?:\/\//i.test(address) || !URL.canParse(address)) {
    if (given) throw usageError(`${name} is not an address of a WebSocket: write it as wss://host/path`);
    throw new TickhaulError('bad_answer', `${exchange} tells no address to connect to`);
  }
  return new URL(address);
}

/** The host for requests of HTTP: that of `REST_URL_<EXCHANGE>`, else the exchange's own. */
export function resolveRestHost({ config }: ServiceClient, exchange: string, own: string): string {
  return config.env[environmentVariable('REST_URL', exchange)]?.trim().replace(/\/+$/, '') || own;
}

async function requestAddress(client: ServiceClient, exchange: string, signal: AbortSignal): Promise<string> {
  const asked = ADDRESS_REQUESTS[exchange];
  if (asked === undefined) throw usageError(`${exchange}: its address is not known`);
  const url = resolveRestHost(client, exchange, asked.host) + asked.path;
  return asked.addressIn(await requestJson(client, { method: 'POST', url }, signal)) ?? '';
}
