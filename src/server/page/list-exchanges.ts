import { fetchFeedNames } from '../../service/records/feed-names.js';
import { fetchDatasetRecord, fetchExchanges } from '../../service/records/fetch-records.js';
import { listStoredExchanges } from '../../service/records/stored-names.js';
import type { ServeOptions } from '../serve-options.js';
import type { ListedExchange } from './page-facts.js';

/** The symbols that replays of one exchange take. */
export interface ExchangeNames {
  readonly symbols: readonly string[];
  /** UTC day, `YYYY-MM-DD`; where day files are served. */
  readonly exportedUntil?: string;
}

/**
 * All exchanges; where the service can't be asked, those of which this machine knows.
 * @throws as `fetchExchanges`, where it knows none.
 */
export async function listExchanges({ feeds, records }: ServeOptions): Promise<readonly ListedExchange[]> {
  const { client, offline } = feeds;
  try {
    const all = await fetchExchanges(client, { cache: records, offline });
    return all.map(({ id, name, availableSince, availableTo }) => ({
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

/** The symbols of one exchange's record: those of its feeds, or of its day files. @throws as `fetchExchange`. */
export async function listExchangeNames(
  { source, feeds, records }: ServeOptions,
  exchange: string,
): Promise<ExchangeNames> {
  const asking = { cache: records, offline: feeds.offline };
  if (source === 'feeds') return { symbols: (await fetchFeedNames(feeds.client, exchange, asking)).symbols };
  const { datasets } = await fetchDatasetRecord(feeds.client, exchange, asking);
  if (datasets === undefined) return { symbols: [] };
  return {
    symbols: datasets.symbols.map(({ id }) => id),
    exportedUntil: datasets.exportedUntil.slice(0, 10),
  };
}
