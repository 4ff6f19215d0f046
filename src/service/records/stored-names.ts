import { encodePathSegment } from '../request-day-file.js';
import { parsePlanFields } from './fetch-records.js';
import { listCachedUrls, readCachedResponse } from './response-cache.js';

/** Names from the cached copy of an exchange's record. */
export interface StoredNames {
  readonly symbols: readonly string[];
  readonly dataTypes: readonly string[];
  /** spot, perpetual … */
  readonly symbolTypes: readonly string[];
}

/**
 * Lists exchange ids from stored copies of any age: the list of exchanges and the stored records. Sends no request and
 * checks nothing.
 * @param apiUrl without a trailing slash. @param cache folder of the copies.
 */
export async function listStoredExchanges(apiUrl: string, cache: string): Promise<readonly string[]> {
  const listUrl = `${apiUrl}/v1/exchanges`;
  const list = await readCachedResponse(cache, listUrl);
  const elements = list ? asList(JSON.parse(list.body.toString())) : [];
  const listed = uniqueTexts(elements.map((element) => readField(element, 'id')));
  const stored = (await listCachedUrls(cache))
    .filter((url) => url.startsWith(`${listUrl}/`))
    .map((url) => decodeURIComponent(url.slice(listUrl.length + 1)));
  return [...new Set([...listed, ...stored])].sort();
}

/** Reads the names from the stored copy of an exchange's record; undefined if there is no copy. */
export async function readStoredNames(
  apiUrl: string,
  cache: string,
  exchange: string,
): Promise<StoredNames | undefined> {
  const stored = await readCachedResponse(cache, `${apiUrl}/v1/exchanges/${encodePathSegment(exchange)}`);
  if (!stored) return undefined;
  const symbols = asList(readField(readField(parsePlanFields(stored.body), 'datasets'), 'symbols'));
  return {
    symbols: uniqueTexts(symbols.map((symbol) => readField(symbol, 'id'))),
    dataTypes: uniqueTexts(symbols.flatMap((symbol) => asList(readField(symbol, 'dataTypes')))),
    symbolTypes: uniqueTexts(symbols.map((symbol) => readField(symbol, 'type'))),
  };
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts among the values, without duplicates. */
function uniqueTexts(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}
