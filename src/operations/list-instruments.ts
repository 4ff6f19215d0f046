import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import { INSTRUMENT_TYPES } from '../options/record-options.js';
import {
  fetchInstrument,
  fetchInstruments,
  type InstrumentFilter,
  type InstrumentInfo,
  parseInstrumentFilter,
} from '../service/records/fetch-instruments.js';
import {
  fetchRecord,
  type MetadataOptions,
  FIELDS as RECORD_FIELDS,
} from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Context } from './context.js';

type InstrumentsValues = CommandValues<typeof COMMAND_OPTIONS.instruments>;

/** Filter options, with the fields of the service's filter. */
const FIELDS = [
  ['types', 'type'],
  ['base', 'baseCurrency'],
  ['quote', 'quoteCurrency'],
  ['contractType', 'contractType'],
] as const;

/**
 * Fetches the instruments of an exchange that match the filters, or the one that is named.
 * @throws usage error for an unknown exchange, symbol or type, and for filters that exclude each other.
 */
export async function findInstruments(
  options: InstrumentsValues,
  context: Context,
): Promise<InstrumentInfo | readonly InstrumentInfo[]> {
  const { symbol } = options;
  const exchange = String(options.exchange).toLowerCase();
  const filter = readFilter(options);
  if (symbol !== undefined && Object.keys(filter).length > 0) {
    throw usageError(`"${symbol}" names a single instrument; omit either the symbol or the filters`);
  }
  const client = await context.client();
  const fetching = { cache: (await context.settings()).cacheDir, signal: context.signal };
  // The copy on disk is for commands and servers without a network.
  const fresh = { ...fetching, fresh: true };
  try {
    if (symbol !== undefined) return await fetchInstrument(client, exchange, symbol, fresh);
    const instruments = await fetchInstruments(client, exchange, filter, fresh);
    assertKnownTypes(options.types, instruments);
    return instruments;
  } catch (error) {
    throw await toNameError(error, { client, exchange, symbol, fetching });
  }
}

function readFilter(options: InstrumentsValues): InstrumentFilter {
  const filter: Record<string, unknown> = { ...parseFilter(options.filter) };
  for (const [name, field] of FIELDS) {
    const values = options[name];
    if (values) filter[field] = values.length === 1 ? values[0] : values;
  }
  const { active: isActive, noActive: isInactive } = options;
  if (isActive && isInactive)
    throw usageError('--active and --no-active exclude all instruments; use only one of them');
  if (isActive || isInactive) filter['active'] = isActive;
  return filter;
}

function parseFilter(text: string | undefined): InstrumentFilter {
  const filter = text === undefined ? {} : parseInstrumentFilter(text);
  if (filter) return filter;
  throw usageError(`--filter: expected a JSON object, as '{"baseCurrency":"BTC"}', found "${text}"`);
}

/** @throws usage error for an unknown type without results. */
function assertKnownTypes(
  types: readonly string[] | undefined,
  instruments: readonly InstrumentInfo[],
): void {
  const known = new Set([...INSTRUMENT_TYPES, ...instruments.map(({ type }) => type)]);
  const unknownType = types?.find((type) => !known.has(type));
  if (unknownType === undefined) return;
  const hint = didYouMean(unknownType, known) || `; valid types: ${INSTRUMENT_TYPES.join(', ')}`;
  throw usageError(`unknown instrument type "${unknownType}"${hint}`);
}

interface NamedInstrument {
  readonly client: ServiceClient;
  readonly exchange: string;
  readonly symbol: string | undefined;
  readonly fetching: MetadataOptions;
}

/** Converts the error for an unknown exchange or symbol to a usage error with the nearest names. */
async function toNameError(
  error: unknown,
  { client, exchange, symbol, fetching }: NamedInstrument,
): Promise<unknown> {
  if (!(error instanceof TickhaulError) || (error.status !== 404 && error.status !== 400)) return error;
  const { symbols } = await fetchRecord(client, exchange, RECORD_FIELDS.names, fetching);
  if (error.status === 400) return usageError(error.message);
  if (symbol === undefined) return error;
  const hint = didYouMean(symbol, symbols) || `; run tickhaul instruments ${exchange} to list them`;
  return usageError(`unknown symbol "${symbol}" on ${exchange}${hint}`);
}
