import { TickhaulError } from '../../base/errors.js';
import type { ServiceClient } from '../http/service-client.js';
import type { ParseResponse } from '../service-config.js';
import { fetchRecordWith, type MetadataOptions } from './fetch-records.js';
import { parseLargeJson } from './parse-large-json.js';
import type { ListedNames } from './record-schema.js';

/** What of an exchange raw replay can be asked for (service interface, Exchange record). */
export interface FeedNames {
  /** None where the record doesn't tell. */
  readonly channels: readonly string[];
  /** As the exchange writes them; channels may have others. */
  readonly symbols: readonly string[];
}

const EXCLUDED_FIELDS = new Set(['datasets', 'channelDetails', 'incidentReports']);

const loadCheck = async (): Promise<ParseResponse<ListedNames>> =>
  (await import('./record-schema.js')).parseListedNames;

/**
 * The channels and symbols of an exchange's record; throws as `fetchExchange` does. With `offline`, of its stored copy
 * of any age.
 */
export async function fetchFeedNames(
  client: ServiceClient,
  exchange: string,
  options: MetadataOptions,
): Promise<FeedNames> {
  const record = await fetchRecordWith(client, exchange, options, parseNames, loadCheck);
  return { channels: record.availableChannels ?? [], symbols: record.availableSymbols ?? [] };
}

/** The error for an exchange that the service doesn't list; undefined where it does, or can't be asked. */
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
 * The symbols of an exchange's record that are traded now, as the exchange writes them; throws as `fetchExchange` does.
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
  const record = await fetchRecordWith(client, exchange, options, parse, loadCheck);
  return (record.availableSymbols ?? []).filter((id) => id !== '');
}

interface ListedSymbol {
  readonly id?: unknown;
  readonly availableTo?: unknown;
}

function parseNames(body: Buffer): unknown {
  return parseSymbols(body, ({ id }) => id);
}

/** A record may list 270,000 symbols: of each only a text is kept. */
function parseSymbols(body: Buffer, textOf: (symbol: ListedSymbol) => unknown): unknown {
  const ofSymbol = (symbol: unknown): unknown => textOf((symbol ?? {}) as ListedSymbol);
  return parseLargeJson(body, {
    without: EXCLUDED_FIELDS,
    inPieces: new Map([['availableSymbols', ofSymbol]]),
  });
}
