import { TickhaulError, usageError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { didYouMean } from '../../base/text.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ParseResponse, ServiceClient } from '../service-client.js';
import {
  fetchMetadata,
  listCachedUrls,
  type MetadataOptions,
  type ParseBody,
  readCachedResponse,
} from './fetch-metadata.js';
import { parseLargeJson } from './parse-large-json.js';
import type { DatasetSymbol, ExchangeRecord, ExchangeSummary } from './response-schemas.js';

export type { DatasetSymbol, ExchangeRecord, ExchangeSummary, MetadataOptions };

/**
 * Fetches all exchanges (`docs/spec/metadata-api.md#exchange-list`).
 * @throws TickhaulError `bad_answer` if the response is not a list of exchanges; otherwise as for any request.
 */
export function fetchExchanges(
  client: ServiceClient,
  options: MetadataOptions = {},
): Promise<readonly ExchangeSummary[]> {
  return fetchMetadata(client, '/v1/exchanges', async () => (await loadSchemas()).parseSummaries, options);
}

/**
 * Fetches the record of one exchange (`docs/spec/metadata-api.md#exchange-record`), or the part of it that an entry of
 * `FIELDS` describes.
 * @throws usage error for an unknown exchange, with the most similar exchange ids.
 */
export async function fetchRecord<T>(
  client: ServiceClient,
  id: string,
  { parse, loadCheck }: RecordFields<T>,
  options: MetadataOptions = {},
): Promise<T> {
  try {
    const path = `/v1/exchanges/${encodePathSegment(id)}`;
    return await fetchMetadata(client, path, loadCheck, options, { parse });
  } catch (error) {
    const isUnknown = error instanceof TickhaulError && (error.status === 404 || error.status === 400);
    if (!isUnknown) throw error;
    const known = (await fetchExchanges(client, options)).map((exchange) => exchange.id);
    if (known.includes(id)) {
      throw new TickhaulError(
        'bad_answer',
        `${id} is in the list of exchanges, but has no record; try again later`,
        { status: error.status, cause: error },
      );
    }
    throw usageError(
      `unknown exchange "${id}"${didYouMean(id, known) || '; run tickhaul exchanges to list them'}`,
    );
  }
}

/** Creates the error for an unknown exchange; undefined if the exchange exists or the service cannot be reached. */
export async function createUnknownExchangeError(
  client: ServiceClient,
  exchange: string,
  options: MetadataOptions,
): Promise<TickhaulError | undefined> {
  try {
    await fetchRecord(client, exchange, FIELDS.names, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    return error.code === 'usage' ? error : undefined;
  }
}

/** A part of an exchange's record: how it is parsed, and checked. */
interface RecordFields<T> {
  /** Parses the needed fields from the response's bytes; throws SyntaxError. */
  readonly parse: ParseBody;
  /** Loads the function that checks the parsed fields. */
  readonly loadCheck: () => Promise<ParseResponse<T>>;
}

/** Channels and symbols of an exchange's raw feeds. */
export interface FeedNames {
  /** Empty if the record lists none. */
  readonly channels: readonly string[];
  /** As the exchange writes them; a channel may have more. */
  readonly symbols: readonly string[];
}

/** Fields that only raw replay uses; a record may list 270,000 symbols twice, in tens of megabytes. */
const REPLAY_FIELDS = ['availableSymbols', 'availableChannels', 'channelDetails'];

const loadSchemas = () => import('./response-schemas.js');
const loadRecordCheck = async (): Promise<ParseResponse<ExchangeRecord>> => (await loadSchemas()).parseRecord;

/** The parts of a record that can be fetched. Stored copies hold all of it. */
export const FIELDS = {
  whole: { parse: parseShallowJson, loadCheck: loadRecordCheck },
  /** Without the fields that only raw replay uses, and without incident reports, in a fraction of the memory. */
  plan: { parse: parsePlanFields, loadCheck: loadRecordCheck },
  /** Those of a plan, with the incident reports. */
  incidents: { parse: (body) => parseWithout(body, REPLAY_FIELDS), loadCheck: loadRecordCheck },
  /** Channels and symbols of the raw feeds. */
  names: { parse: (body) => parseSymbols(body, ({ id }) => id), loadCheck: loadNamesCheck },
  /** Those names, but only the symbols that are traded now. */
  activeNames: { parse: parseActiveSymbols, loadCheck: loadNamesCheck },
} satisfies Readonly<Record<string, RecordFields<unknown>>>;

async function loadNamesCheck(): Promise<ParseResponse<FeedNames>> {
  const { parseListedNames } = await loadSchemas();
  return (json, name) => {
    const { availableChannels = [], availableSymbols = [] } = parseListedNames(json, name);
    return { channels: availableChannels, symbols: availableSymbols.filter((id) => id !== INACTIVE) };
  };
}

interface ListedSymbol {
  readonly id?: unknown;
  readonly availableTo?: unknown;
}

/** In the place of the id of a symbol that is no longer traded. */
const INACTIVE = '';

function parseActiveSymbols(body: Buffer): unknown {
  const now = Date.now();
  return parseSymbols(body, ({ id, availableTo }) =>
    availableTo === undefined || Date.parse(String(availableTo)) > now ? id : INACTIVE,
  );
}

const FIELDS_BESIDE_NAMES = new Set(['datasets', 'channelDetails', 'incidentReports']);

/** A record may list 270,000 symbols, so only one text of each is kept. */
function parseSymbols(body: Buffer, toText: (symbol: ListedSymbol) => unknown): unknown {
  const mapSymbol = (symbol: unknown): unknown => toText((symbol ?? {}) as ListedSymbol);
  return parseLargeJson(body, {
    excludedPaths: FIELDS_BESIDE_NAMES,
    elementMappers: new Map([['availableSymbols', mapSymbol]]),
  });
}

/**
 * Parses an exchange's record for a plan: leaves out the lists for raw replay and the incident reports, and shares equal
 * texts among dataset symbols to save memory.
 * @throws SyntaxError if the body is not JSON.
 */
export function parsePlanFields(body: Buffer): unknown {
  return parseWithout(body, [...REPLAY_FIELDS, 'incidentReports']);
}

function parseWithout(body: Buffer, excludedPaths: readonly string[]): unknown {
  const elementMappers = new Map([['datasets.symbols', createValueSharer()]]);
  try {
    return parseLargeJson(body, { excludedPaths: new Set(excludedPaths), elementMappers });
  } catch {
    // JSON.parse gives an error with the position, or accepts a form that parseLargeJson does not support.
    return parseShallowJson(body);
  }
}

const REPEATED_FIELDS = ['type', 'availableSince', 'availableTo'];

/** Creates a function that replaces a symbol's texts and data types with equal ones of an earlier symbol. */
function createValueSharer(): (symbol: unknown) => unknown {
  const texts = new Map<string, string>();
  const lists = new Map<string, unknown>();
  let last: readonly unknown[] = [];
  const shareText = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  const shareList = (list: readonly unknown[]): unknown => {
    // Neighbouring symbols mostly have the same data types.
    if (list.length === last.length && list.every((item, index) => item === last[index])) return last;
    if (!list.every((item) => typeof item === 'string')) return list;
    const key = list.join('\0');
    const known = lists.get(key) as readonly unknown[] | undefined;
    if (known === undefined) lists.set(key, list);
    last = known ?? list;
    return last;
  };
  return (symbol) => {
    if (typeof symbol !== 'object' || symbol === null) return symbol;
    const shared = symbol as Record<string, unknown>;
    for (const key of REPEATED_FIELDS) {
      const value = shared[key];
      if (typeof value === 'string') shared[key] = shareText(value);
    }
    const dataTypes = shared['dataTypes'];
    if (Array.isArray(dataTypes)) shared['dataTypes'] = shareList(dataTypes);
    return shared;
  };
}

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
