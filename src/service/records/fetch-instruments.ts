import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import type { ServiceClient } from '../http/service-client.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ParseResponse } from '../service-config.js';
import { fetchMetadata, type MetadataOptions } from './fetch-metadata.js';
import { type InstrumentFilter, matchesFilter } from './instrument-filter.js';
import { createParser } from './record-schema.js';

/** An instrument's description (`docs/spec/metadata-api.md#instruments`). Unknown fields are kept. */
export interface InstrumentInfo {
  readonly [field: string]: unknown;
  /** As the exchange writes it: the name that raw replay takes. */
  readonly id: string;
  readonly exchange: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly type: string;
  readonly active: boolean;
  readonly availableSince: string;
  readonly availableTo?: string | undefined;
  /** Dataset symbol; absent until the symbol is exported. */
  readonly datasetId?: string | undefined;
  readonly contractType?: string | undefined;
}

const instrumentSchema = z.looseObject({
  id: z.string(),
  exchange: z.string(),
  baseCurrency: z.string(),
  quoteCurrency: z.string(),
  type: z.string(),
  active: z.boolean(),
  availableSince: z.string(),
  availableTo: z.string().optional(),
  datasetId: z.string().optional(),
  contractType: z.string().optional(),
});

const parseInstrument: ParseResponse<InstrumentInfo> = createParser(instrumentSchema);
const parseInstruments: ParseResponse<readonly InstrumentInfo[]> = createParser(z.array(instrumentSchema));

const loadInstrumentCheck = async () => parseInstrument;
const loadInstrumentsCheck = async () => parseInstruments;

/**
 * Fetches the instruments of an exchange that match a filter. Offline, the stored copy of all of them is filtered if
 * this filter was never fetched.
 * @throws TickhaulError by the response's status; `bad_answer` if the response is not a list of instruments;
 * `not_exported` without a copy offline.
 */
export async function fetchInstruments(
  client: ServiceClient,
  exchange: string,
  filter: InstrumentFilter,
  options: MetadataOptions,
): Promise<readonly InstrumentInfo[]> {
  const path = `/v1/instruments/${encodePathSegment(exchange)}`;
  const { apiKey } = client.config;
  const fetchList = (query: string) =>
    fetchMetadata(client, `${path}${query}`, loadInstrumentsCheck, options, { apiKey, isPart: query !== '' });
  if (Object.keys(filter).length === 0) return fetchList('');
  const query = `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return orOffline(
    () => fetchList(query),
    async () => (await fetchList('')).filter((instrument) => matchesFilter(instrument, filter)),
    options,
  );
}

/** Fetches one instrument by its symbol in any case; throws as `fetchInstruments` does. */
export async function fetchInstrument(
  client: ServiceClient,
  exchange: string,
  symbol: string,
  options: MetadataOptions,
): Promise<InstrumentInfo> {
  const path = `/v1/instruments/${encodePathSegment(exchange)}/${encodePathSegment(symbol)}`;
  const { apiKey } = client.config;
  return orOffline(
    () => fetchMetadata(client, path, loadInstrumentCheck, options, { apiKey, isPart: true }),
    async () => {
      const all = await fetchInstruments(client, exchange, {}, options);
      const found = all.find(({ id }) => id.toUpperCase() === symbol.toUpperCase());
      if (found) return found;
      throw new TickhaulError('unavailable', `${exchange} has no instrument "${symbol}"`, { status: 404 });
    },
    options,
  );
}

/** Offline, uses another stored copy if there is none of the request. */
async function orOffline<T>(
  fetch: () => Promise<T>,
  fetchOther: () => Promise<T>,
  { offline }: MetadataOptions,
): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    if (!offline || !(error instanceof TickhaulError) || error.code !== 'not_exported') throw error;
    return fetchOther();
  }
}
