import { usageError } from '../../base/errors.js';
import { minutesToUsRange, usRangeToMinutes } from '../../dataset/minute.js';
import { parseDataTypeName } from '../../market/names/data-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import { parsePeriod, type RequestedPeriod } from '../../replay/parse-period.js';
import type { ReplayOption, ReplayRequest } from '../../replay/replay-request.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { MetadataOptions } from '../../service/records/fetch-records.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readListFlag, readTextFlag } from '../arguments/read-arguments.js';
import { readLast, readSymbolFlag } from './read-selection.js';

/** What a replay is asked for, before its days are known. */
export interface AskedReplay extends Omit<ReplayRequest, 'period'> {
  readonly period: RequestedPeriod;
}

/** What the flags of `replay` ask for (contract, Replay). @throws usage error. */
export async function readReplayRequest(args: CommandArgs, signal: AbortSignal): Promise<AskedReplay> {
  const names = readListFlag(args, 'type');
  if (!names)
    throw usageError(
      "--type is missing: name normalized data types, as --type trade,book_change, or an exchange's own --channel",
    );
  const types = [...new Set(names)].map(parseDataTypeName);
  const period = readPeriodFlags(args);
  const options = await readReplayOptions(args, signal);
  assertNamedOnce(options);
  return { options, types, period };
}

/** @throws usage error for an exchange that is named twice. */
export function assertNamedOnce(options: readonly ReplayOption[]): void {
  const twice = options.find(
    ({ exchange }, at) => options.findIndex((one) => one.exchange === exchange) < at,
  );
  if (twice) throw usageError(`${twice.exchange} is named twice; name it once, with all its symbols`);
}

/** The exchanges that are named, with their symbols; `-s` names those of the ones that have none of their own. */
export async function readReplayOptions(
  args: CommandArgs,
  signal: AbortSignal,
): Promise<readonly ReplayOption[]> {
  const common = await readSymbolFlag(args, signal);
  const given = args['exchange'];
  return (Array.isArray(given) ? given : [given]).map((text) => readOption(String(text), common));
}

/** A period as flags name it, in microseconds. @throws usage error; `not_exported` for an end that is still to come. */
export function readPeriodFlags(args: CommandArgs): RequestedPeriod {
  const words = {
    from: readTextFlag(args, 'from'),
    to: readTextFlag(args, 'to'),
    date: readTextFlag(args, 'date'),
  };
  const last = readLast(args);
  if (last === undefined) return parsePeriod(words, Date.now());
  if (Object.values(words).some((word) => word !== undefined))
    throw usageError('give only one of --date, --last, --from and --to');
  return { last };
}

/**
 * The period that is asked for; the last exported days are those of the exchanges' records.
 * @throws TickhaulError as `fetchLastDays`.
 */
export async function resolvePeriod(
  asked: RequestedPeriod,
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: ServiceClient,
  options: MetadataOptions,
): Promise<Period> {
  if (!('last' in asked)) return asked;
  const { fetchLastDays } = await import('../../replay/last-days.js');
  return fetchLastDays(asked.last, exchanges, client, options);
}

/** A period cut to the whole minutes in which raw data comes. @throws usage error where there is none. */
export function toWholeMinutes(period: RequestedPeriod): RequestedPeriod {
  if ('last' in period) return period;
  const range = usRangeToMinutes(period);
  if (range.start < range.end) return minutesToUsRange(range);
  throw usageError('the period is shorter than a minute: raw data comes by whole minutes, of local time');
}

/** Flags that say where one source has its data, and do nothing for the other. */
const OF_SOURCE = {
  datasets: ['dir', 'layout'],
  feeds: ['cache-dir', 'clear-cache', 'cache-limit'],
} as const;
const SOURCES = { datasets: 'day files', feeds: 'slices of raw data' } as const;

/** @throws usage error for a flag that only the other source knows. */
export function assertFlagsMatchSource(args: CommandArgs, source: keyof typeof SOURCES): void {
  const other = source === 'feeds' ? 'datasets' : 'feeds';
  const flag = OF_SOURCE[other].find((name) => args[name] !== undefined && args[name] !== false);
  if (flag === undefined) return;
  throw usageError(
    `--${flag} is for ${SOURCES[other]}, and these messages come from ${SOURCES[source]}; leave it out${args['channel'] === undefined ? `, or name --source ${other}` : ''}`,
  );
}

/** How many times faster than real time; undefined for as fast as it goes. */
export function readSpeedFlag(args: CommandArgs): number | undefined {
  const text = readTextFlag(args, 'speed') ?? 'max';
  if (text === 'max') return undefined;
  const factor = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw usageError(
    `--speed: "${text}" is not a factor; write 1 for real time, 10 for ten times as fast, or max`,
  );
}

/** `sendHttpRequest`, or `exchange:symbol,symbol`. */
function readOption(text: string, common: readonly string[] | undefined): ReplayOption {
  const colon = text.indexOf(':');
  if (colon < 0) return { exchange: text.trim().toLowerCase(), symbols: common };
  const symbols = text
    .slice(colon + 1)
    .split(',')
    .map((symbol) => symbol.trim())
    .filter((symbol) => symbol !== '');
  if (symbols.length === 0)
    throw usageError(`"${text}" names no symbol; write exchange:SYMBOL, or leave the colon out`);
  return { exchange: text.slice(0, colon).trim().toLowerCase(), symbols };
}
