import { type TickhaulError, usageError } from '../../base/errors.js';
import { GROUP_TYPES, GROUPED_SYMBOLS, toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { addDays, formatDay } from '../../day-files/day.js';
import { isSameDayFile } from '../../day-files/day-file.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import {
  type ExportContext,
  type ExportJob,
  type ExportPlan,
  type ExportSeries,
  type ExportSource,
  type ExportTarget,
  groupBySymbol,
  type OutputsOf,
  SELECT_OTHERS,
  type SideFiles,
} from '../export-target.js';
import {
  type FreqtradeSettings,
  type JobSettings,
  pairPaths,
  readFreqtradeSettings,
  toPair,
} from './freqtrade-settings.js';

/** Feather files of trades and candles for freqtrade (docs/spec/freqtrade-files.md#names). */
export const freqtrade: ExportTarget<FreqtradeSettings> = {
  version: 1,
  dataTypes: ['trades', 'derivative_ticker'],
  flags: ['timeframe', 'pair', 'funding-timeframe', 'mark-timeframe', 'funding-grid'],
  readSettings: readFreqtradeSettings,
  async check(sources, settings) {
    checkSeries(sources, settings);
  },
  plan: planPairs,
  async loadExporter() {
    const exportTrades = (await import('./export-pairs.js')).createPairExporter();
    const { exportFunding } = await import('./export-funding.js');
    return (job, io) => (hasTickers(job) ? exportFunding(job, io) : exportTrades(job, io));
  },
};

/**
 * One job for each symbol, with all of its days. @throws usage error for a symbol without a known pair, for two symbols
 * with the same pair, and for two files of one day.
 */
async function planPairs(
  sources: readonly ExportSource[],
  settings: FreqtradeSettings,
  context: ExportContext,
): Promise<ExportPlan> {
  const { timeframes, pair, funding } = settings;
  const jobs: ExportJob[] = [];
  const warnings: string[] = [];
  for (const days of checkSeries(sources, settings)) {
    const named = pair === undefined ? await findPairs(days, context) : { pair };
    const name = nameOf(days);
    const trades = days.filter(({ file }) => file.dataType === 'trades');
    const tickers = days.filter(({ file }) => file.dataType !== 'trades');
    const tradeSettings: JobSettings = { timeframes, ...named };
    const tickerSettings: JobSettings = { timeframes: [], funding, ...named };
    if (trades.length > 0)
      jobs.push({ target: 'freqtrade', key: name, sources: trades, settings: tradeSettings });
    if (!isOfFutures(named)) {
      if (tickers.length > 0) warnings.push(`${name}: derivative_ticker is of no use for a spot pair`);
    } else if (tickers.length > 0) {
      const plain: unknown = JSON.parse(JSON.stringify(tickerSettings));
      jobs.push({ target: 'freqtrade', key: `${name} derivative_ticker`, sources: tickers, settings: plain });
      const [{ file }] = tickers as unknown as ExportSeries;
      const [first, before] = [file.day, addDays(file.day, -1)].map(formatDay);
      warnings.push(
        `${name}: the funding rate of ${first} 00:00 is in the derivative_ticker file of ${before}, which is not among the sources`,
      );
    } else
      warnings.push(
        `${name}: without derivative_ticker there are no funding rates, and freqtrade charges none, silently; download it, and export again`,
      );
  }
  assertDistinct(jobs.filter((job) => !hasTickers(job)));
  const finish = async (outputsOf: OutputsOf): Promise<SideFiles> => {
    const { createFreqtradeSetup } = await import('./freqtrade-setup.js');
    return createFreqtradeSetup(jobs, outputsOf, settings, context);
  };
  return { jobs, skipped: [], finish, warnings };
}

function hasTickers({ sources }: ExportJob): boolean {
  return sources[0]?.file.dataType === 'derivative_ticker';
}

function isOfFutures({ pair, pairs = {} }: Pick<JobSettings, 'pair' | 'pairs'>): boolean {
  return (pair === undefined ? Object.values(pairs) : [pair]).some((name) => name.includes(':'));
}

/**
 * The series of day files. @throws usage error for two files of one day, for options, and for a pair of several symbols.
 */
function checkSeries(sources: readonly ExportSource[], { pair }: FreqtradeSettings): readonly ExportSeries[] {
  for (const [i, source] of sources.entries()) {
    const last = sources[i - 1];
    if (last && isSameDayFile(last.file, source.file))
      throw usageError(`${nameOf([last])}: several files have the same day: ${last.path}, ${source.path}`);
  }
  const series = groupBySymbol(sources);
  const [first, other] = series;
  if (pair !== undefined && other)
    throw usageError(`--pair names one symbol, and ${nameOf(other)} is another one; select one with -s`);
  if (pair !== undefined && first && GROUPED_SYMBOLS.has(first[0].file.symbol))
    throw usageError(`--pair names one symbol, and ${nameOf(first)} has many; omit --pair`);
  const options = series.find(([{ file }]) => GROUP_TYPES[file.symbol] === 'option');
  if (options) throw usageError(`${nameOf(options)}: options have no pairs; ${SELECT_OTHERS}`);
  return series;
}

function nameOf([{ file }]: ExportSeries): string {
  return `${file.exchange} ${file.symbol}`;
}

async function findPairs(
  series: ExportSeries,
  { fetchInstruments }: ExportContext,
): Promise<Pick<JobSettings, 'pair' | 'pairs'>> {
  const [{ file }] = series;
  const { exchange, symbol } = file;
  const instruments = await fetchInstruments(exchange);
  if (GROUPED_SYMBOLS.has(symbol)) {
    const type = GROUP_TYPES[symbol];
    const pairs = Object.fromEntries(
      (instruments ?? []).filter((instrument) => instrument.type === type).flatMap(namePair),
    );
    if (Object.keys(pairs).length > 0) return { pairs };
    throw usageError(
      `${nameOf(series)}: no pairs are known; set TICKHAUL_API_KEY for instrument metadata, or ${SELECT_OTHERS}`,
    );
  }
  const instrument = instruments?.find(
    ({ id, datasetId }) => (datasetId ?? toDatasetSymbol(id)).toUpperCase() === symbol.toUpperCase(),
  );
  const pair = instrument && toPair(instrument);
  if (pair === undefined) throw unknownPairError(series, instrument);
  return { pair };
}

function namePair(instrument: InstrumentInfo): readonly (readonly [symbol: string, pair: string])[] {
  const pair = toPair(instrument);
  return pair === undefined ? [] : [[instrument.id.toUpperCase(), pair]];
}

function unknownPairError(series: ExportSeries, instrument: InstrumentInfo | undefined): TickhaulError {
  const reason = instrument
    ? `no pair follows from an instrument of type ${instrument.type}`
    : 'its base and quote currency are unknown';
  return usageError(`${nameOf(series)}: ${reason}; set --pair BASE/QUOTE, or ${SELECT_OTHERS}`);
}

/** Pairs are compared by their files: `A.B/USD` and `A_B/USD` have the same. */
function assertDistinct(jobs: readonly ExportJob[]): void {
  const keys = new Map<string, string>();
  for (const { key, settings } of jobs) {
    const { pair, pairs } = settings as JobSettings;
    for (const name of pair === undefined ? Object.values(pairs ?? {}) : [pair]) {
      const { trades } = pairPaths(name);
      const other = keys.get(trades) ?? key;
      if (other !== key)
        throw usageError(
          `${other} and ${key} both have the pair ${name}; export one of them, with -s or --exchange`,
        );
      keys.set(trades, key);
    }
  }
}
