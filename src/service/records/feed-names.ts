import { TickhaulError } from '../../base/errors.js';
import type { ServiceClient } from '../http/service-client.js';
import type { ParseResponse } from '../service-config.js';
import { fetchRecordWith, type MetadataOptions } from './fetch-records.js';
import { parseLargeJson } from './parse-large-json.js';
import type { ListedNames } from './record-schema.js';

/** Channels and symbols of an exchange's raw feeds (`docs/spec/metadata-api.md#exchange-record`). */
export interface FeedNames {
  /** Empty if the record lists none. */
  readonly channels: readonly string[];
  /** As the exchange writes them; a channel may have more. */
  readonly symbols: readonly string[];
}

const EXCLUDED_FIELDS = new Set(['datasets', 'channelDetails', 'incidentReports']);

const loadParser = async (): Promise<ParseResponse<ListedNames>> =>
  (await import('./record-schema.js')).parseListedNames;

/**
 * Fetches the channels and symbols of an exchange's record; throws as `fetchExchange` does. With `offline`, reads the
 * stored copy of any age.
 */
export async function fetchFeedNames(
  client: ServiceClient,
  exchange: string,
  options: MetadataOptions,
): Promise<FeedNames> {
  const record = await fetchRecordWith(client, exchange, options, parseNames, loadParser);
  return { channels: record.availableChannels ?? [], symbols: record.availableSymbols ?? [] };
}

/** Creates the error for an unknown exchange; undefined if the exchange exists or the service cannot be reached. */
export async function createUnknownExchangeError(
  client: ServiceClient,
  exchange: string,
  options: MetadataOptions,
): Promise<TickhaulError | undefined> {
  try {
    await fetchFeedNames(client, exchange, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    return error.code === 'usage' ? error : undefined;
  }
}

/**
 * Fetches the symbols that are traded now, as the exchange writes them; throws as `fetchExchange` does.
 */
export async function fetchActiveSymbols(
  client: ServiceClient,
  exchange: string,
  options: MetadataOptions,
): Promise<readonly string[]> {
  const now = Date.now();
  const activeId = ({ id, availableTo }: ListedSymbol): unknown =>
    availableTo === undefined || Date.parse(String(availableTo)) > now ? id : '';
  const parse = (body: Buffer): unknown => parseSymbols(body, activeId);
  const record = await fetchRecordWith(client, exchange, options, parse, loadParser);
  return (record.availableSymbols ?? []).filter((id) => id !== '');
}

interface ListedSymbol {
  readonly id?: unknown;
  readonly availableTo?: unknown;
}

function parseNames(body: Buffer): unknown {
  return parseSymbols(body, ({ id }) => id);
}

/** A record may list 270,000 symbols, so only one text of each is kept. */
function parseSymbols(body: Buffer, toText: (symbol: ListedSymbol) => unknown): unknown {
  const mapSymbol = (symbol: unknown): unknown => toText((symbol ?? {}) as ListedSymbol);
  return parseLargeJson(body, {
    excludedPaths: EXCLUDED_FIELDS,
    elementMappers: new Map([['availableSymbols', mapSymbol]]),
  });
}
