import { ROWS_ONLY } from '../../convert/output-selection.js';
import { findDataType, type RowStatistic } from '../../day-files/data-types.js';
import { GROUP_TYPES, GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { parseTimeToDay } from '../../day-files/day.js';
import type { Estimate, EstimateBasis, SizeRange } from '../../events/run-events.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { DaySize } from '../../store/manifest/download-history.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ConvertSetting, PlannedFile } from '../download-options.js';

/** Expected size of a day file. */
export interface ExpectedSize extends DaySize {
  readonly basis: EstimateBasis;
}

/** Estimates a day file; undefined for an unknown data type. */
export type EstimateSize = (file: Pick<PlannedFile, 'file' | 'expected'>) => ExpectedSize | undefined;

/**
 * Estimates sizes of day files: from earlier days of their series, else from the exchange's averages, else from typical
 * sizes of the data type. Computed once per series in constant memory, since a plan is ordered by series.
 * @param record undefined if it was not fetched.
 */
export function createSizeEstimator(history: Manifest['history'], record?: ExchangeRecord): EstimateSize {
  const recordAverage = record ? createRecordAverages(record) : () => undefined;
  /** Average sizes of one symbol, by data type, with separate entries for options. */
  const averages = new Map<string, ExpectedSize | undefined>();
  let lastFile: PlannedFile['file'] | undefined;
  let lastSize: ExpectedSize | undefined;

  const computeAverage = (dataType: string, isOption: boolean): ExpectedSize | undefined => {
    const average = recordAverage(dataType);
    if (average) return { ...average, basis: average.isCounted ? 'record' : 'typical' };
    const usual = findDataType(dataType)?.usual;
    if (!usual) return undefined;
    const share = isOption ? OPTION_SHARE : 1;
    return { bytes: usual.rows * usual.bytesPerRow * share, rows: usual.rows * share, basis: 'typical' };
  };
  const computeSeriesSize = (file: PlannedFile['file']): ExpectedSize | undefined => {
    const historySize = history.daySize(file);
    if (historySize) return { ...historySize, basis: 'manifest' };
    const { dataType, symbol } = file;
    const isOption = OPTION_SYMBOL.test(symbol);
    const key = isOption ? `${dataType} of an option` : dataType;
    if (!averages.has(key)) averages.set(key, computeAverage(dataType, isOption));
    const average = averages.get(key);
    // The usual size of options_chain already covers all options.
    if (!average || !GROUPED_SYMBOLS.has(symbol) || findDataType(dataType)?.onlySymbol) return average;
    const members = countGroupMembers(symbol, record);
    return { ...average, bytes: average.bytes * members, rows: average.rows * members };
  };

  return ({ file, expected }) => {
    // A lock file has the exact size.
    if (expected) {
      const { usual } = findDataType(file.dataType) ?? {};
      const { bytes } = expected;
      return { bytes, rows: usual ? bytes / usual.bytesPerRow : 0, basis: 'manifest' };
    }
    const isSame =
      file.symbol === lastFile?.symbol &&
      file.dataType === lastFile.dataType &&
      file.exchange === lastFile.exchange;
    if (!isSame) {
      lastFile = file;
      lastSize = computeSeriesSize(file);
    }
    return lastSize;
  };
}

/** Matches `BTC-27DEC30-200000-C`: exchanges have hundreds of thousands of options, each with few rows. */
const OPTION_SYMBOL = /-[CP]$/;
const OPTION_SHARE = 0.01;

/** The number of listed symbols that a grouped file covers; at least 1. */
function countGroupMembers(grouped: string, record: ExchangeRecord | undefined): number {
  const { symbols = [], exportedUntil } = record?.datasets ?? {};
  const members = symbols.filter(
    ({ id, type, availableTo }) =>
      type === GROUP_TYPES[grouped] &&
      !GROUPED_SYMBOLS.has(id) &&
      (availableTo === undefined || availableTo === exportedUntil),
  );
  return Math.max(1, members.length);
}

/** Average size of a day; `isCounted` if the record counts rows of this data type itself. */
interface AverageDay extends DaySize {
  readonly isCounted: boolean;
}

/**
 * Average day size of a data type over an exchange's symbols and exported days, from `datasets.stats` of its record, read
 * as totals of the whole export (docs/spec/metadata-api.md#exchange-record). Symbols differ widely.
 * @returns undefined if the record has no statistic for it.
 */
function createRecordAverages(record: ExchangeRecord): (dataType: string) => AverageDay | undefined {
  const stats = record.datasets?.['stats'];
  return (dataType) => {
    const { counted, usual } = findDataType(dataType) ?? {};
    if (!counted || !usual) return undefined;
    const total = readStatistic(stats, counted.statistic);
    const days = total === 0 ? 0 : countSymbolDays(record, counted.as);
    if (days === 0) return undefined;
    const share = usual.rows / (findDataType(counted.as)?.usual.rows ?? 1);
    const rows = (total / days) * share;
    return { rows, bytes: rows * usual.bytesPerRow, isCounted: dataType === counted.as };
  };
}

function readStatistic(stats: unknown, name: RowStatistic): number {
  if (typeof stats !== 'object' || stats === null) return 0;
  const count = (stats as Readonly<Record<string, unknown>>)[name];
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}

/** Exported days of all symbols with the data type, without grouped files, which repeat them. */
function countSymbolDays({ datasets }: ExchangeRecord, dataType: string): number {
  // Cached: a record has the same few times for all its symbols.
  const dayCache = new Map<string, number | undefined>();
  const parseDayCached = (iso: string): number | undefined => {
    if (!dayCache.has(iso)) dayCache.set(iso, parseTimeToDay(iso));
    return dayCache.get(iso);
  };
  const from = parseDayCached(datasets?.exportedFrom ?? '') ?? Number.NEGATIVE_INFINITY;
  const until = parseDayCached(datasets?.exportedUntil ?? '') ?? 0;
  let days = 0;
  for (const { id, dataTypes, availableSince = '', availableTo = '' } of datasets?.symbols ?? []) {
    if (GROUPED_SYMBOLS.has(id) || !dataTypes.includes(dataType)) continue;
    const first = Math.max(parseDayCached(availableSince) ?? from, from);
    days += Math.max(0, Math.min(parseDayCached(availableTo) ?? until, until) - first);
  }
  return Number.isFinite(days) ? days : 0;
}

/** Sums over the files to download. */
export interface DownloadVolume {
  files: number;
  /** Files without an estimate. */
  unknown: number;
  rows: number;
  /** Bytes by the basis of their estimate. */
  readonly bytes: Record<EstimateBasis, number>;
}

export function createVolume(): DownloadVolume {
  return { files: 0, unknown: 0, rows: 0, bytes: { manifest: 0, record: 0, typical: 0 } };
}

/** Adds a planned file if it is to be downloaded. */
export function addToVolume(
  volume: DownloadVolume,
  planned: PlannedFile,
  sizeOf: EstimateSize | undefined,
): void {
  if (planned.action !== 'fetch') return;
  volume.files++;
  const size = sizeOf?.(planned);
  if (!size) {
    volume.unknown++;
    return;
  }
  volume.rows += size.rows;
  volume.bytes[size.basis] += size.bytes;
}

export function sumVolumes(volumes: readonly DownloadVolume[]): DownloadVolume {
  const sum = createVolume();
  for (const { files, unknown, rows, bytes } of volumes) {
    sum.files += files;
    sum.unknown += unknown;
    sum.rows += rows;
    for (const basis of ESTIMATE_BASES) sum.bytes[basis] += bytes[basis];
  }
  return sum;
}

/**
 * Bytes of all files, assuming that files without an estimate are average. Undefined if there is no estimate
 * at all.
 */
export function totalBytes({ files, unknown, bytes }: DownloadVolume): number | undefined {
  if (files === 0) return 0;
  if (unknown === files) return undefined;
  return ((bytes.manifest + bytes.record + bytes.typical) * files) / (files - unknown);
}

/** Sorted from the least to the most precise. */
const ESTIMATE_BASES: readonly EstimateBasis[] = ['typical', 'record', 'manifest'];
/** Share of the bytes below which a basis is not reported. */
const NEGLIGIBLE_SHARE = 0.1;

/** @param bytesPerSecond undefined if the rate is unknown. */
export function toEstimate(volume: DownloadVolume, bytesPerSecond: number | undefined): Estimate {
  const bytes = totalBytes(volume);
  if (bytes === undefined) return UNKNOWN_ESTIMATE;
  const { files, unknown, rows } = volume;
  const estimatedFiles = files - unknown;
  const estimatedBytes = volume.bytes.manifest + volume.bytes.record + volume.bytes.typical;
  const basis =
    ESTIMATE_BASES.find((candidate) => volume.bytes[candidate] > estimatedBytes * NEGLIGIBLE_SHARE) ?? null;
  return {
    estimatedBytes: Math.round(bytes),
    estimatedRows: estimatedFiles === 0 ? 0 : Math.round((rows * files) / estimatedFiles),
    estimatedSeconds:
      bytesPerSecond === undefined || bytesPerSecond <= 0 ? null : Math.round(bytes / bytesPerSecond),
    estimateBasis: basis,
  };
}

/**
 * Factor by which the actual size may differ: a busy symbol has 30 times the rows of the exchange's average symbol, and
 * symbols of one data type differ by a factor of up to 10,000.
 */
const RANGE_FACTORS: Readonly<Record<EstimateBasis, number>> = { manifest: 1, record: 30, typical: 300 };

/** Ratio of the most to the least bytes above which an estimate says nothing. */
const MAX_RANGE = 20;

/** The least and the most bytes of all files; null if they differ by more than a factor of 20, or are not known. */
export function toSizeRange(volume: DownloadVolume): SizeRange | null {
  const total = totalBytes(volume);
  if (total === undefined) return null;
  const { manifest, record } = volume.bytes;
  // Files without an estimate are as uncertain as those of typical size.
  const typical = total - manifest - record;
  const factors = RANGE_FACTORS;
  const least = manifest + record / factors.record + typical / factors.typical;
  const most = manifest + record * factors.record + typical * factors.typical;
  return most <= least * MAX_RANGE ? [Math.round(least), Math.round(most)] : null;
}

/** Bytes of a day file; 0 if their range is too wide. */
export function knownBytes(size: ExpectedSize | undefined): number {
  return size && RANGE_FACTORS[size.basis] ** 2 <= MAX_RANGE ? size.bytes : 0;
}

const UNKNOWN_ESTIMATE: Estimate = {
  estimatedBytes: null,
  estimatedRows: null,
  estimatedSeconds: null,
  estimateBasis: null,
};

/**
 * Size of a computed type relative to the conversion of its rows: bars are far smaller, deep books larger.
 */
const COMPUTED_RATIO = 0.2;

/** Estimates the bytes on disk of day files and their conversions. @param bytes size of the day files. */
export function estimateDiskBytes(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { outputSelection = ROWS_ONLY } = convert;
  const { format, compression } = convert.options;
  const factor = OUTPUT_FORMATS[format].sizeRatio(compression);
  const outputCount = (outputSelection.rows ? 1 : 0) + COMPUTED_RATIO * outputSelection.computed.length;
  return bytes * (factor * outputCount + (convert.keepCsv ? 1 : 0));
}
