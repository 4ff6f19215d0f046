import { usageError } from '../../base/errors.js';
import { toSafeFileName } from '../../day-files/day-file.js';
import { TARGET_OPTIONS } from '../../options/export-options.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import { type ExportFlags, isInverseContract } from '../export-target.js';

/** Names of the timeframes of funding rates and mark candles. */
export interface FundingSettings {
  readonly timeframe: string;
  readonly markTimeframe: string;
  /** Time between fundings, for exchanges that send no time of funding. */
  readonly grid?: string | undefined;
}

/** Values of the flags of freqtrade. */
export interface FreqtradeSettings {
  /** Names of timeframes, at least one. */
  readonly timeframes: readonly string[];
  readonly funding: FundingSettings;
  /** Pair of the only symbol; undefined to find it in the metadata of its instrument. */
  readonly pair: string | undefined;
}

/** What the exporter of a job needs. Either `pair` or `pairs` is set. */
export interface JobSettings {
  readonly timeframes: readonly string[];
  /** Set if the sources are tickers. */
  readonly funding?: FundingSettings;
  readonly pair?: string;
  /** Pairs of a grouped symbol, by the symbols of rows in upper case. */
  readonly pairs?: Readonly<Record<string, string>>;
}

/** @throws usage error. */
export function readFreqtradeSettings({
  timeframe = TARGET_OPTIONS.timeframe.default,
  pair,
  ...flags
}: ExportFlags): FreqtradeSettings {
  const names = [...new Set([timeframe].flat())];
  return {
    timeframes: names.map((name) => parseTimeframe(name).name),
    funding: {
      timeframe: readTimeframe(flags, 'funding-timeframe') ?? TARGET_OPTIONS['funding-timeframe'].default,
      markTimeframe: readTimeframe(flags, 'mark-timeframe') ?? TARGET_OPTIONS['mark-timeframe'].default,
      grid: readTimeframe(flags, 'funding-grid'),
    },
    pair: pair === undefined ? undefined : parsePair(String(pair)),
  };
}

function readTimeframe(
  flags: ExportFlags,
  name: 'funding-timeframe' | 'mark-timeframe' | 'funding-grid',
): string | undefined {
  const text = flags[name];
  return text === undefined ? undefined : parseTimeframe(String(text), name).name;
}

/**
 * The pair of an instrument, as freqtrade names it (docs/spec/freqtrade-files.md#names); undefined for types that it
 * does not trade.
 */
export function toPair(instrument: InstrumentInfo): string | undefined {
  const { baseCurrency: base, quoteCurrency: quote, type } = instrument;
  if (base === '' || quote === '') return undefined;
  if (type === 'spot') return `${base}/${quote}`;
  if (type !== 'perpetual' && type !== 'future') return undefined;
  const { settlementCurrency, expiry } = instrument;
  const defaultSettlement = isInverseContract(instrument) ? base : quote;
  const settlement = typeof settlementCurrency === 'string' ? settlementCurrency : defaultSettlement;
  const isDated = type === 'future' && typeof expiry === 'string';
  return `${base}/${quote}:${settlement}${isDated ? `-${expiry.slice(2, 10).replaceAll('-', '')}` : ''}`;
}

/** Checks a pair that the user named. @throws usage error. */
function parsePair(text: string): string {
  if (/^[^\s/:\\]+\/[^\s/:\\]+(?::[^\s/:\\]+)?$/.test(text)) return text;
  throw usageError(`--pair: "${text}" is not a pair; use BASE/QUOTE, or BASE/QUOTE:SETTLE for futures`);
}

/** Paths of a pair's files below the data folder. */
export interface PairPaths {
  readonly trades: string;
  candles(timeframe: string): string;
  funding(timeframe: string): string;
  mark(timeframe: string): string;
}

export function pairPaths(pair: string): PairPaths {
  const isFutures = pair.includes(':');
  const name = `${isFutures ? 'futures/' : ''}${toSafeFileName(pair.replace(/[/:.@$+ ]/g, '_'))}`;
  return {
    trades: `${name}-trades.feather`,
    candles: (timeframe) => `${name}-${timeframe}${isFutures ? '-futures' : ''}.feather`,
    funding: (timeframe) => `${name}-${timeframe}-funding_rate.feather`,
    mark: (timeframe) => `${name}-${timeframe}-mark.feather`,
  };
}

/** Interval of candles. */
export interface Timeframe {
  /** As in the names of files: `1m`, `4h`. */
  readonly name: string;
  readonly microseconds: number;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const DAY_SECONDS = 86_400;

/**
 * Parses the name of a timeframe, which divides a UTC day, so that a candle lies in one day.
 * @throws usage error.
 */
export function parseTimeframe(name: string, flag = 'timeframe'): Timeframe {
  const [, count = '', unit = ''] = /^([1-9]\d*)(s|m|h|d)$/.exec(name) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds === 0 || DAY_SECONDS % seconds !== 0)
    throw usageError(`--${flag}: "${name}" does not divide a day; use 1m, 5m, 1h, 1d or the like`);
  return { name, microseconds: seconds * 1_000_000 };
}

/** What to do with symbols of a grouped file that have the same files. */
export const PAIR_ADVICE =
  'download the day files of each of them, and export one with --pair, or to another folder';
