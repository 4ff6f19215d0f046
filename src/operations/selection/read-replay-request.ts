import { usageError } from '../../base/errors.js';
import { minutesToUsRange, usRangeToMinutes } from '../../day-files/day.js';
import { parseWeekdays } from '../../day-files/day-selection.js';
import { parseMessageType } from '../../market/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { MESSAGE_OPTIONS, PERIOD_OPTIONS, REPLAY_OPTIONS } from '../../options/message-options.js';
import type { GivenFlags, ReadOptions } from '../../options/option-values.js';
import {
  parsePeriod,
  type ReplayOption,
  type ReplayRequest,
  type RequestedDays,
  splitPeriod,
} from '../../replay/replay-request.js';
import type { MetadataOptions } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import { readDays, readSymbolLists } from './read-selection.js';

/** Request of a replay; its period may depend on the exported days. */
export interface ReplaySelection extends Omit<ReplayRequest, 'period'> {
  readonly period: RequestedDays;
}

export type ReplayValues = ReadOptions<typeof REPLAY_OPTIONS>;
/** Exchanges, symbols and types of messages. */
export type MessageValues = ReadOptions<typeof MESSAGE_OPTIONS & Pick<typeof PERIOD_OPTIONS, 'symbol'>>;
type PeriodValues = Pick<ReplayValues, 'from' | 'to' | 'date' | 'days' | 'last' | 'weekdays' | 'free'>;

/** The request of `replay` (docs/spec/command-line.md#periods). @throws usage error. */
export async function readReplayRequest(
  options: Omit<MessageValues, 'given'> & PeriodValues & Pick<ReplayValues, 'symbolTypes'>,
  signal: AbortSignal,
): Promise<ReplaySelection> {
  const names = options.types;
  if (!names)
    throw usageError(
      "--type is required: normalized data types, such as --type trade,book_change, or use an exchange's own --channel",
    );
  const types = [...new Set(names.map(toMessageName))].map(parseMessageType);
  const period = await readPeriod(options, signal);
  const exchanges = await readReplayOptions(options, signal);
  assertNamedOnce(exchanges);
  return { options: exchanges, types, symbolTypes: options.symbolTypes, period };
}

/** Names of day files, in lower case, with those of their messages. */
const MESSAGE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    trades: 'trade',
    incremental_book_l2: 'book_change',
    quotes: 'quote',
    liquidations: 'liquidation',
    options_chain: 'option_summary',
    book_snapshot_5: 'book_snapshot_5_0ms',
    book_snapshot_25: 'book_snapshot_25_0ms',
  }),
);

/** The name of messages, also for that of their day files. */
function toMessageName(name: string): string {
  return MESSAGE_NAMES.get(name.toLowerCase()) ?? name;
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
export async function readPeriod(options: PeriodValues, signal: AbortSignal): Promise<RequestedDays> {
  const { from, to, date, last, ...days } = await readDays(options, signal);
  const hasRange = from !== undefined || to !== undefined;
  if (last !== undefined && (hasRange || date))
    throw usageError('use only one of: --date, --last, or --from with --to');
  if (days.weekdays) parseWeekdays(days.weekdays);
  const isAll = days.free && !hasRange && !date;
  const range =
    last !== undefined || isAll
      ? { last: last ?? ('all' as const) }
      : parsePeriod({ from, to, date }, Date.now());
  const requested = { range, days: { date, ...days } };
  // Days that the period does not have are reported before any request.
  if (!('last' in range)) splitPeriod(range, requested.days);
  return requested;
}

/**
 * Resolves the requested days to periods, in order; the last exported days are read from the exchange records.
 * @throws TickhaulError like `fetchLastDays`; usage error if the period has none of the days.
 */
export async function resolvePeriods(
  { range, days }: RequestedDays,
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: ServiceClient,
  options: MetadataOptions,
): Promise<readonly Period[]> {
  if (!('last' in range)) return splitPeriod(range, days);
  const { fetchLastDays } = await import('../../replay/plan-replay.js');
  return splitPeriod(await fetchLastDays(range.last, exchanges, client, options), days);
}

/** The whole minutes of a period, since raw data has minute slices. @throws usage error if it has none. */
export function toWholeMinutes({ range, days }: RequestedDays): RequestedDays {
  if ('last' in range) return { range, days };
  const minutes = usRangeToMinutes(range);
  if (minutes.start < minutes.end) return { range: minutesToUsRange(minutes), days };
  throw usageError('the period has no whole minute; raw data is requested by whole minutes of local time');
}

/** Flags about the data of one source, without effect on the other. */
const FLAGS_BY_SOURCE = {
  datasets: ['dir', 'layout', 'good', 'symbol-type'],
  feeds: ['cache-dir', 'clear-cache', 'cache-limit'],
} as const;
const SOURCE_NAMES = { datasets: 'day files', feeds: 'slices of raw data' } as const;

/** What `replay` and `serve` have in common. */
interface SourceValues {
  readonly given: GivenFlags;
  readonly clearCache: boolean;
  readonly good?: boolean;
  readonly channels?: readonly string[] | undefined;
}

/** @throws usage error for a flag that applies to the other source only. */
export function assertFlagsMatchSource(options: SourceValues, source: keyof typeof SOURCE_NAMES): void {
  const other = source === 'feeds' ? 'datasets' : 'feeds';
  const isSet = (name: (typeof FLAGS_BY_SOURCE)[typeof other][number]): boolean =>
    name === 'clear-cache'
      ? options.clearCache
      : name === 'good'
        ? options.good === true
        : options.given.has(name);
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
