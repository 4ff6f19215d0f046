import { TickhaulError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { toDecimalText } from '../../base/units.js';
import { type Day, MS_PER_DAY } from '../../day-files/day.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ServiceClient } from '../service-client.js';
import { fetchMetadata, type MetadataOptions } from './fetch-metadata.js';
import type { InstrumentInfo } from './response-schemas.js';

export type { InstrumentInfo };

const loadSchemas = () => import('./response-schemas.js');
const loadInstrumentCheck = async () => (await loadSchemas()).parseInstrument;
const loadInstrumentsCheck = async () => (await loadSchemas()).parseInstruments;

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

/** Filter fields by the service's names; values are texts, lists of texts, or a boolean for `active`. */
export type InstrumentFilter = Readonly<Record<string, unknown>>;

/** Parses a filter; undefined if the text is no JSON object. */
export function parseInstrumentFilter(text: string): InstrumentFilter | undefined {
  try {
    const filter: unknown = parseShallowJson(text);
    const isObject = typeof filter === 'object' && filter !== null && !Array.isArray(filter);
    return isObject ? { ...filter } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether an instrument matches (`docs/spec/metadata-api.md#instruments`). Both days of a filter together select by
 * overlap; `availableTo` alone selects what is available on that day.
 */
export function matchesFilter(
  instrument: Readonly<Record<string, unknown>>,
  { availableSince: from, availableTo: to, ...fields }: InstrumentFilter,
): boolean {
  const since = String(instrument['availableSince']).slice(0, 10);
  const until = String(instrument['availableTo'] ?? '9999');
  return (
    (from === undefined || until > String(from)) &&
    (to === undefined ||
      (from === undefined ? since <= String(to) && until > String(to) : since < String(to))) &&
    Object.entries(fields).every(([field, expected]) => {
      const value = instrument[field];
      return Array.isArray(expected) ? expected.includes(value) : value === expected;
    })
  );
}

/** Fields of an instrument that change over time, as the service names them. */
const CHANGING = [
  'priceIncrement',
  'amountIncrement',
  'minTradeAmount',
  'contractMultiplier',
  'makerFee',
  'takerFee',
] as const;

/** What an instrument was on a day. Numbers are decimal texts without an exponent; undefined if they are unknown. */
export interface InstrumentVersion extends Readonly<Partial<Record<(typeof CHANGING)[number], string>>> {
  /** When it became so, in milliseconds since the epoch: not after the start of the day, unless it was listed later. */
  readonly since: number;
}

/** Whether an instrument has a symbol of day files or of their rows, in any case. */
export function isNamed({ id, datasetId }: InstrumentInfo, symbol: string): boolean {
  return [id, datasetId].some((name) => name?.toUpperCase() === symbol.toUpperCase());
}

interface InstrumentChange extends Readonly<Partial<Record<(typeof CHANGING)[number], unknown>>> {
  readonly until: number;
}

/**
 * The values of an instrument at the start of a day, from the present ones and the list of `changes`: an entry has values
 * that held until its `until` (docs/spec/metadata-api.md#instruments).
 */
export function instrumentOn(info: InstrumentInfo, day: Day): InstrumentVersion {
  const start = day * MS_PER_DAY;
  const changes = readChanges(info);
  const values: Record<string, unknown> = { ...info };
  for (const { until, ...old } of changes.toReversed()) if (until > start) Object.assign(values, old);
  const past = changes.filter(({ until }) => until <= start).at(-1);
  return { ...readValues(values), since: past?.until ?? Date.parse(info.availableSince) };
}

/** The versions of an instrument on the days from `first` to `last`, both included. */
export function instrumentBetween(info: InstrumentInfo, first: Day, last: Day): readonly InstrumentVersion[] {
  const starts = readChanges(info).map(({ until }) => Math.ceil(until / MS_PER_DAY) as Day);
  const days = new Set([first, ...starts.filter((day) => day > first && day <= last)]);
  return [...days].map((day) => instrumentOn(info, day));
}

/** The changes, oldest first. */
function readChanges(info: InstrumentInfo): readonly InstrumentChange[] {
  const { changes } = info;
  if (!Array.isArray(changes)) return [];
  return changes
    .flatMap((change: unknown) => {
      if (typeof change !== 'object' || change === null) return [];
      const { until, ...values } = change as Record<string, unknown>;
      const time = typeof until === 'string' ? Date.parse(until) : Number.NaN;
      if (Number.isNaN(time)) return [];
      const known = CHANGING.filter((name) => values[name] !== undefined && values[name] !== null);
      return [{ ...Object.fromEntries(known.map((name) => [name, values[name]])), until: time }];
    })
    .sort((a, b) => a.until - b.until);
}

function readValues(
  values: Readonly<Record<string, unknown>>,
): Partial<Record<(typeof CHANGING)[number], string>> {
  return Object.fromEntries(
    CHANGING.flatMap((name) => {
      const text = toDecimalText(values[name]);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}
