import {
  type ExchangeRecord,
  type ExchangeSummary,
  FIELDS,
  fetchExchanges,
  fetchRecord,
  type MetadataOptions,
} from '../service/records/fetch-records.js';
import type { Context } from './context.js';

/** Fetches all exchanges; throws as `fetchExchanges` does. */
export async function fetchExchangeList(context: Context): Promise<readonly ExchangeSummary[]> {
  return fetchExchanges(await context.client(), await readFetching(context));
}

/**
 * Fetches the whole record of an exchange.
 * @param exchange id in any case. @throws usage error for an unknown exchange.
 */
export async function fetchExchangeRecord(exchange: string, context: Context): Promise<ExchangeRecord> {
  const client = await context.client();
  return fetchRecord(client, exchange.toLowerCase(), FIELDS.whole, await readFetching(context));
}

async function readFetching({ settings, signal }: Context): Promise<MetadataOptions> {
  return { cache: (await settings()).cacheDir, signal };
}

/**
 * A record as the service sent it, with what tickhaul can do with the exchange's messages
 * (docs/spec/command-line.md#json-output).
 */
export async function withMessageSupport<T extends ExchangeSummary>(
  record: T,
): Promise<T & { readonly messages: object }> {
  const { describeMessageSupport } = await import('../exchange-adapters/message-support.js');
  const messages = await describeMessageSupport(record.id);
  return { ...record, messages: record.delisted === true ? withoutLive(messages) : messages };
}

function withoutLive(messages: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(messages).map(([type, one]) => [type, { ...one, live: false }]));
}
