import { usageError } from '../../base/errors.js';
import { minutesToUsRange, usRangeToMinutes } from '../../day-files/day.js';
import { parseMessageType } from '../../market/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { MESSAGE_OPTIONS, PERIOD_OPTIONS, REPLAY_OPTIONS } from '../../options/message-options.js';
import type { ReadOptions } from '../../options/option-values.js';
import {
  parsePeriod,
  type ReplayOption,
  type ReplayRequest,
  type RequestedPeriod,
} from '../../replay/replay-request.js';
import type { MetadataOptions } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import { readSymbolLists } from './read-selection.js';

/** Request of a replay; its period may depend on the exported days. */
export interface ReplaySelection extends Omit<ReplayRequest, 'period'> {
  readonly period: RequestedPeriod;
}

/** Options of `replay`. */
export type ReplayValues = ReadOptions<typeof REPLAY_OPTIONS>;
/** Exchanges, symbols and types of messages. */
export type MessageValues = ReadOptions<typeof MESSAGE_OPTIONS & Pick<typeof PERIOD_OPTIONS, 'symbol'>>;
type PeriodValues = Pick<ReplayValues, 'from' | 'to' | 'date' | 'last'>;

/** The request of `replay` (docs/spec/command-line.md#periods). @throws usage error. */
export async function readReplayRequest(
  options: Omit<MessageValues, 'given'> & PeriodValues,
  signal: AbortSignal,
): Promise<ReplaySelection> {
  const names = options.types;
  if (!names)
    throw usageError(
      "--type is required: normalized data types, such as --type trade,book_change, or use an exchange's own --channel",
    );
  const types = [...new Set(names)].map(parseMessageType);
  const period = readPeriod(options);
  const exchanges = await readReplayOptions(options, signal);
  assertNamedOnce(exchanges);
  return { options: exchanges, types, period };
}

/** @throws usage error for an exchange that is exchanges twice. */
export function assertNamedOnce(options: readonly ReplayOption[]): void {
  const repeated = options.find(
    ({ exchange }, at) => options.findIndex((option) => option.exchange === exchange) < at,
  );
  if (repeated) throw usageError(`${repeated.exchange} appears twice; list it once, with all its symbols`);
}

/** The exchanges of the command line with their symbols; `--symbol` applies to exchanges without symbols. */
export async function readReplayOptions(
  { exchange = [], symbols }: Pick<MessageValues, 'exchange' | 'symbols'>,
  signal: AbortSignal,
): Promise<readonly ReplayOption[]> {
  const common = await readSymbolLists(symbols, signal);
  return exchange.map((text) => readOption(text, common));
}

/** The period of the options, in microseconds. @throws usage error; `not_exported` for an end in the future. */
export function readPeriod({ from, to, date, last }: PeriodValues): RequestedPeriod {
  const words = { from, to, date };
  if (last === undefined) return parsePeriod(words, Date.now());
  if (Object.values(words).some((word) => word !== undefined))
    throw usageError('use only one of: --date, --last, or --from with --to');
  return { last };
}

/**
 * Resolves the requested period; the last exported days are read from the exchange records.
 * @throws TickhaulError like `fetchLastDays`.
 */
export async function resolvePeriod(
  requested: RequestedPeriod,
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: ServiceClient,
  options: MetadataOptions,
): Promise<Period> {
  if (!('last' in requested)) return requested;
  const { fetchLastDays } = await import('../../replay/plan-replay.js');
  return fetchLastDays(requested.last, exchanges, client, options);
}

/** The whole minutes of a period, since raw data has minute slices. @throws usage error if it has none. */
export function toWholeMinutes(period: RequestedPeriod): RequestedPeriod {
  if ('last' in period) return period;
  const range = usRangeToMinutes(period);
  if (range.start < range.end) return minutesToUsRange(range);
  throw usageError('the period has no whole minute; raw data is requested by whole minutes of local time');
}

/** Flags about the data of one source, without effect on the other. */
const FLAGS_BY_SOURCE = {
  datasets: ['dir', 'layout', 'good'],
  feeds: ['cache-dir', 'clear-cache', 'cache-limit'],
} as const;
const SOURCE_NAMES = { datasets: 'day files', feeds: 'slices of raw data' } as const;

/** @throws usage error for a flag that applies to the other source only. */
export function assertFlagsMatchSource(options: ReplayValues, source: keyof typeof SOURCE_NAMES): void {
  const other = source === 'feeds' ? 'datasets' : 'feeds';
  const isSet = (name: (typeof FLAGS_BY_SOURCE)[typeof other][number]): boolean =>
    name === 'clear-cache' ? options.clearCache : name === 'good' ? options.good : options.given.has(name);
  const flag = FLAGS_BY_SOURCE[other].find(isSet);
  if (flag === undefined) return;
  throw usageError(
    `--${flag} is for ${SOURCE_NAMES[other]}, and these messages come from ${SOURCE_NAMES[source]}; omit it${options.channels === undefined ? `, or use --source ${other}` : ''}`,
  );
}

/** Speed as a multiple of real time; undefined for maximum speed. */
export function toSpeed({ speed }: Pick<ReplayValues, 'speed'>): number | undefined {
  return speed === 'max' ? undefined : speed;
}

/** Parses `exchange`, or `exchange:symbol,symbol`. */
function readOption(text: string, common: ReplayOption['symbols']): ReplayOption {
  const colon = text.indexOf(':');
  if (colon < 0) return { exchange: text.trim().toLowerCase(), symbols: common };
  const symbols = text
    .slice(colon + 1)
    .split(',')
    .map((symbol) => symbol.trim())
    .filter((symbol) => symbol !== '');
  if (symbols.length === 0)
    throw usageError(`"${text}" has no symbol; use exchange:SYMBOL, or omit the colon`);
  return { exchange: text.slice(0, colon).trim().toLowerCase(), symbols };
}
