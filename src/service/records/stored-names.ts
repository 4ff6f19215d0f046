import { encodePathSegment } from '../request-day-file.js';
import { parseDatasetRecord } from './parse-dataset-record.js';
import { listCachedUrls, readCachedResponse } from './response-cache.js';

/** What the stored copy of an exchange's record names. */
export interface StoredNames {
  readonly symbols: readonly string[];
  readonly dataTypes: readonly string[];
  /** spot, perpetual … */
  readonly symbolTypes: readonly string[];
}

/**
 * Exchange ids of which this machine knows: of the stored list of exchanges, of any age, and of stored records.
 * Nothing is asked for, and nothing checked.
 * @param apiUrl without a slash at the end. @param cache folder of the copies.
 */
export async function listStoredExchanges(apiUrl: string, cache: string): Promise<readonly string[]> {
  const all = `${apiUrl}/v1/exchanges`;
  const list = await readCachedResponse(cache, all);
  const listed = list ? names(asList(JSON.parse(list.body.toString())).map((one) => field(one, 'id'))) : [];
  const stored = (await listCachedUrls(cache))
    .filter((url) => url.startsWith(`${all}/`))
    .map((url) => decodeURIComponent(url.slice(all.length + 1)));
  return [...new Set([...listed, ...stored])].sort();
}

/** What the stored copy of an exchange's record names, as `listStoredExchanges`; undefined where there is none. */
export async function readStoredNames(
  apiUrl: string,
  cache: string,
  exchange: string,
): Promise<StoredNames | undefined> {
  const stored = await readCachedResponse(cache, `${apiUrl}/v1/exchanges/${encodePathSegment(exchange)}`);
  if (!stored) return undefined;
  const symbols = asList(field(field(parseDatasetRecord(stored.body), 'datasets'), 'symbols'));
  return {
    symbols: names(symbols.map((symbol) => field(symbol, 'id'))),
    dataTypes: names(symbols.flatMap((symbol) => asList(field(symbol, 'dataTypes')))),
    symbolTypes: names(symbols.map((symbol) => field(symbol, 'type'))),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts among them, each once. */
function names(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}
