import { FIELDS, fetchExchanges, fetchRecord } from '../../service/records/fetch-records.js';
import { listStoredExchanges } from '../../service/records/stored-names.js';
import type { ServeOptions } from '../server-context.js';
import type { ListedExchange } from './page-facts.js';

/** Symbols of one exchange that can be replayed. */
export interface ExchangeNames {
  readonly symbols: readonly string[];
  /** UTC day, `YYYY-MM-DD`; set if the server uses day files. */
  readonly exportedUntil?: string;
}

/**
 * Lists all exchanges, or those with stored records if the service cannot be reached.
 * @throws like `fetchExchanges` if no record is stored either.
 */
export async function listExchanges({ feeds, records }: ServeOptions): Promise<readonly ListedExchange[]> {
  const { client, offline } = feeds;
  try {
    const exchanges = await fetchExchanges(client, { cache: records, offline });
    return exchanges.map(({ id, name, availableSince, availableTo }) => ({
      id,
      name,
      availableSince,
      availableTo,
    }));
  } catch (error) {
    const stored = await listStoredExchanges(client.config.apiUrl, records);
    if (stored.length === 0) throw error;
    return stored.map((id) => ({ id }));
  }
}

/** Lists the symbols of an exchange's feeds or of its day files. @throws as `fetchRecord`. */
export async function listExchangeNames(
  { source, feeds, records }: ServeOptions,
  exchange: string,
): Promise<ExchangeNames> {
  const fetchOptions = { cache: records, offline: feeds.offline };
  if (source === 'feeds')
    return { symbols: (await fetchRecord(feeds.client, exchange, FIELDS.names, fetchOptions)).symbols };
  const { datasets } = await fetchRecord(feeds.client, exchange, FIELDS.plan, fetchOptions);
  if (datasets === undefined) return { symbols: [] };
  return {
    symbols: datasets.symbols.map(({ id }) => id),
    exportedUntil: datasets.exportedUntil.slice(0, 10),
  };
}
