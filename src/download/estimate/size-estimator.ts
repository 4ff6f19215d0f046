import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import type { EstimateBasis } from '../../run/run-events.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { DaySize } from '../../store/manifest/download-history.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { PlannedFile } from '../download-options.js';
import { createRecordAverages } from './record-averages.js';
import { bytesToDaySize, typicalDaySize } from './typical-day.js';

/** What a day file is expected to come to. */
export interface ExpectedSize extends DaySize {
  readonly basis: EstimateBasis;
}

/** Undefined for a data type that nothing is known of. */
export type EstimateSize = (file: Pick<PlannedFile, 'file' | 'expected'>) => ExpectedSize | undefined;

/**
 * Sizes of day files before they come: as earlier days of their series, else as the exchange's average, else as is
 * usual for the data type. Worked out once a series, in constant memory: a plan goes series by series.
 * @param record undefined where it wasn't asked for.
 */
export function createSizeEstimator(history: Manifest['history'], record?: ExchangeRecord): EstimateSize {
  const averageOf = record ? createRecordAverages(record) : () => undefined;
  /** Of one symbol, by data type, options apart. */
  const averages = new Map<string, ExpectedSize | undefined>();
  let last: PlannedFile['file'] | undefined;
  let lastSize: ExpectedSize | undefined;

  const averageSize = (dataType: string, isOption: boolean): ExpectedSize | undefined => {
    const average = averageOf(dataType);
    if (average) return { ...average, basis: average.isCounted ? 'record' : 'typical' };
    const typical = typicalDaySize(dataType);
    const share = isOption ? OPTION_SHARE : 1;
    return typical && { bytes: typical.bytes * share, rows: typical.rows * share, basis: 'typical' };
  };
  const sizeOfSeries = (file: PlannedFile['file']): ExpectedSize | undefined => {
    const own = history.daySize(file);
    if (own) return { ...own, basis: 'manifest' };
    const { dataType, symbol } = file;
    const isOption = OPTION_SYMBOL.test(symbol);
    const key = isOption ? `${dataType} of an option` : dataType;
    if (!averages.has(key)) averages.set(key, averageSize(dataType, isOption));
    const average = averages.get(key);
    // What is usual for options_chain is that of all options.
    if (!average || !GROUPED_SYMBOLS.has(symbol) || dataType === 'options_chain') return average;
    const members = countGroupMembers(symbol, record);
    return { ...average, bytes: average.bytes * members, rows: average.rows * members };
  };

  return ({ file, expected }) => {
    // A lock file names the size itself.
    if (expected) return { ...bytesToDaySize(file.dataType, expected.bytes), basis: 'manifest' };
    const isSame =
      file.symbol === last?.symbol && file.dataType === last.dataType && file.exchange === last.exchange;
    if (!isSame) {
      last = file;
      lastSize = sizeOfSeries(file);
    }
    return lastSize;
  };
}

/** `BTC-27DEC30-200000-C`: an exchange has hundreds of thousands of them, and each is quiet. */
const OPTION_SYMBOL = /-[CP]$/;
const OPTION_SHARE = 0.01;

const GROUP_MEMBER_TYPES: Readonly<Record<string, string>> = {
  SPOT: 'spot',
  FUTURES: 'future',
  PERPETUALS: 'perpetual',
  OPTIONS: 'option',
};

/** Symbols that a grouped file holds: those that are listed still, and at least one. */
function countGroupMembers(grouped: string, record: ExchangeRecord | undefined): number {
  const { symbols = [], exportedUntil } = record?.datasets ?? {};
  const members = symbols.filter(
    ({ id, type, availableTo }) =>
      type === GROUP_MEMBER_TYPES[grouped] &&
      !GROUPED_SYMBOLS.has(id) &&
      (availableTo === undefined || availableTo === exportedUntil),
  );
  return Math.max(1, members.length);
}
