import { GROUPED_SYMBOLS } from '../../dataset/symbols.js';
import type { EstimateBasis } from '../../run/events.js';
import type { ExchangeRecord } from '../../service/records/metadata.js';
import type { DaySize } from '../../store/manifest/history.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { PlannedFile } from '../types.js';
import { recordAverages } from './record-averages.js';
import { sizeOfBytes, typicalDay } from './typical.js';

/** What a day file is expected to come to. */
export interface ExpectedSize extends DaySize {
  readonly basis: EstimateBasis;
}

/** Undefined for a data type that nothing is known of. */
export type SizeOf = (file: Pick<PlannedFile, 'file' | 'expected'>) => ExpectedSize | undefined;

/**
 * Sizes of day files before they come: as earlier days of their series, else as the exchange's average, else as is
 * usual for the data type. Worked out once a series, in constant memory: a plan goes series by series.
 * @param record undefined where it wasn't asked for.
 */
export function createSizes(history: Manifest['history'], record?: ExchangeRecord): SizeOf {
  const averageOf = record ? recordAverages(record) : () => undefined;
  let last: PlannedFile['file'] | undefined;
  let lastSize: ExpectedSize | undefined;

  const sizeOfSeries = (file: PlannedFile['file']): ExpectedSize | undefined => {
    const own = history.daySize(file);
    if (own) return { ...own, basis: 'manifest' };
    const average = averageOf(file.dataType);
    if (average) {
      const basis = average.isCounted ? 'record' : 'typical';
      return { ...times(average, membersOf(file.symbol, record)), basis };
    }
    const typical = typicalDay(file.dataType);
    if (!typical) return undefined;
    const members = file.dataType === 'options_chain' ? 1 : membersOf(file.symbol, record);
    return { ...times(typical, members), basis: 'typical' };
  };

  return ({ file, expected }) => {
    // A lock file names the size itself.
    if (expected) return { ...sizeOfBytes(file.dataType, expected.bytes), basis: 'manifest' };
    const isSame =
      file.symbol === last?.symbol && file.dataType === last.dataType && file.exchange === last.exchange;
    if (!isSame) {
      last = file;
      lastSize = sizeOfSeries(file);
    }
    return lastSize;
  };
}

const MEMBERS: Readonly<Record<string, string>> = {
  SPOT: 'spot',
  FUTURES: 'future',
  PERPETUALS: 'perpetual',
  OPTIONS: 'option',
};

/** Symbols that a file holds: those of a grouped one that are listed still, else itself. */
function membersOf(symbol: string, record: ExchangeRecord | undefined): number {
  if (!GROUPED_SYMBOLS.has(symbol)) return 1;
  const { symbols = [], exportedUntil } = record?.datasets ?? {};
  const members = symbols.filter(
    ({ id, type, availableTo }) =>
      type === MEMBERS[symbol] &&
      !GROUPED_SYMBOLS.has(id) &&
      (availableTo === undefined || availableTo === exportedUntil),
  );
  return Math.max(1, members.length);
}

function times({ bytes, rows }: DaySize, factor: number): DaySize {
  return { bytes: bytes * factor, rows: rows * factor };
}
