import { usageError } from '../../base/errors.js';
import { minutesToUsRange, usRangeToMinutes } from '../../day-files/minute.js';
import { parseMessageType } from '../../market/names/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import { SELECTION_OPTIONS } from '../../options/day-file-options.js';
import { PACE_OPTIONS } from '../../options/message-options.js';
import { readOptions } from '../../options/read-options.js';
import { parsePeriod, type RequestedPeriod } from '../../replay/parse-period.js';
import type { ReplayOption, ReplayRequest } from '../../replay/replay-request.js';
import type { MetadataOptions } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readListFlag, readTextFlag } from '../arguments/read-arguments.js';
import { readSymbolLists } from './read-selection.js';

/** Request of a replay; its period may depend on the exported days. */
export interface ReplaySelection extends Omit<ReplayRequest, 'period'> {
  readonly period: RequestedPeriod;
}

/** Reads the flags of `replay` (docs/spec/command-line.md#periods). @throws usage error. */
export async function readReplayRequest(args: CommandArgs, signal: AbortSignal): Promise<ReplaySelection> {
  const names = readListFlag(args, 'type');
  if (!names)
    throw usageError(
      "--type is required: normalized data types, such as --type trade,book_change, or use an exchange's own --channel",
    );
  const types = [...new Set(names)].map(parseMessageType);
  const period = readPeriodFlags(args);
  const options = await readReplayOptions(args, signal);
  assertNamedOnce(options);
  return { options, types, period };
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
  args: CommandArgs,
  signal: AbortSignal,
): Promise<readonly ReplayOption[]> {
  const common = await readSymbolLists(readListFlag(args, 'symbol'), signal);
  const exchanges = args['exchange'];
  return (Array.isArray(exchanges) ? exchanges : [exchanges]).map((text) => readOption(String(text), common));
}

/** The period of the flags, in microseconds. @throws usage error; `not_exported` for an end in the future. */
export function readPeriodFlags(args: CommandArgs): RequestedPeriod {
  const words = {
    from: readTextFlag(args, 'from'),
    to: readTextFlag(args, 'to'),
    date: readTextFlag(args, 'date'),
  };
  const last = readOptions({ last: SELECTION_OPTIONS.last }, args).last;
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
  datasets: ['dir', 'layout'],
  feeds: ['cache-dir', 'clear-cache', 'cache-limit'],
} as const;
const SOURCE_NAMES = { datasets: 'day files', feeds: 'slices of raw data' } as const;

/** @throws usage error for a flag that applies to the other source only. */
export function assertFlagsMatchSource(args: CommandArgs, source: keyof typeof SOURCE_NAMES): void {
  const other = source === 'feeds' ? 'datasets' : 'feeds';
  const flag = FLAGS_BY_SOURCE[other].find((name) => args[name] !== undefined && args[name] !== false);
  if (flag === undefined) return;
  throw usageError(
    `--${flag} is for ${SOURCE_NAMES[other]}, and these messages come from ${SOURCE_NAMES[source]}; omit it${args['channel'] === undefined ? `, or use --source ${other}` : ''}`,
  );
}

/** Speed as a multiple of real time; undefined for maximum speed. */
export function readSpeedFlag(args: CommandArgs): number | undefined {
  const text = readTextFlag(args, 'speed') ?? PACE_OPTIONS.speed.default;
  if (text === 'max') return undefined;
  const factor = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw usageError(
    `--speed: "${text}" is not a factor; use 1 for real time, 10 for ten times as fast, or max`,
  );
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
