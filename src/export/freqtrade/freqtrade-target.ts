import { type TickhaulError, usageError } from '../../base/errors.js';
import { GROUP_TYPES, GROUPED_SYMBOLS, toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { isSameDayFile } from '../../day-files/day-file.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import {
  type ExportContext,
  type ExportJob,
  type ExportPlan,
  type ExportSource,
  type ExportTarget,
  SELECT_OTHERS,
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
  dataTypes: ['trades'],
  flags: ['timeframe', 'pair'],
  readSettings: readFreqtradeSettings,
  async check(sources, settings) {
    checkSeries(sources, settings);
  },
  plan: planPairs,
  loadExporter: async () => (await import('./export-pairs.js')).createPairExporter(),
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
  const { timeframes, pair } = settings;
  const jobs: ExportJob[] = [];
  for (const days of checkSeries(sources, settings)) {
    const named = pair === undefined ? await findPairs(days, context) : { pair };
    const jobSettings: JobSettings = { timeframes, ...named };
    jobs.push({ target: 'freqtrade', key: nameOf(days), sources: days, settings: jobSettings });
  }
  assertDistinct(jobs);
  return { jobs, skipped: [] };
}

/**
 * The series of day files. @throws usage error for two files of one day, for options, and for a pair of several symbols.
 */
function checkSeries(sources: readonly ExportSource[], { pair }: FreqtradeSettings): readonly Series[] {
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

/** Day files of one symbol, by day; at least one. */
type Series = readonly [ExportSource, ...ExportSource[]];

function nameOf([{ file }]: Series): string {
  return `${file.exchange} ${file.symbol}`;
}

function groupBySymbol(sources: readonly ExportSource[]): readonly Series[] {
  const series: [ExportSource, ...ExportSource[]][] = [];
  for (const source of sources) {
    const days = series.at(-1);
    const last = days?.at(-1);
    if (last && isSameDayFile(last.file, source.file))
      throw usageError(`${nameOf([last])}: several files have the same day: ${last.path}, ${source.path}`);
    if (last?.file.exchange === source.file.exchange && last.file.symbol === source.file.symbol)
      days?.push(source);
    else series.push([source]);
  }
  return series;
}

async function findPairs(
  series: Series,
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

function unknownPairError(series: Series, instrument: InstrumentInfo | undefined): TickhaulError {
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
