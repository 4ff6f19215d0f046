import { type DataType, isDataType } from '../../dataset/data-types.js';
import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import { parseTimeToDay } from '../../dataset/day.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { DaySize } from '../../store/manifest/download-history.js';
import { rowsToDaySize, typicalDaySize } from './typical-day.js';

type Statistic = 'trades' | 'bookChanges';

/** The statistic that a data type's rows go with, and the data type whose rows it counts. */
const COUNTED_TYPES: Readonly<Partial<Record<DataType, readonly [Statistic, DataType]>>> = {
  trades: ['trades', 'trades'],
  liquidations: ['trades', 'trades'],
  incremental_book_L2: ['bookChanges', 'incremental_book_L2'],
  quotes: ['bookChanges', 'incremental_book_L2'],
  book_ticker: ['bookChanges', 'incremental_book_L2'],
  book_snapshot_5: ['bookChanges', 'incremental_book_L2'],
  book_snapshot_25: ['bookChanges', 'incremental_book_L2'],
};

/** What a day comes to on average; `isCounted` where the record counts its very rows. */
export interface AverageDay extends DaySize {
  readonly isCounted: boolean;
}

/**
 * What a day of a data type comes to on average over an exchange's symbols and exported days, from its record's
 * `datasets.stats`, taken as totals of the whole export (service facts, Metadata). Symbols differ a good deal.
 * @returns undefined where the record tells nothing of it.
 */
export function createRecordAverages(record: ExchangeRecord): (dataType: string) => AverageDay | undefined {
  const stats = record.datasets?.['stats'];
  return (dataType) => {
    const [statistic, counted] = (isDataType(dataType) && COUNTED_TYPES[dataType]) || [];
    if (statistic === undefined || counted === undefined || !isDataType(dataType)) return undefined;
    const total = readStatistic(stats, statistic);
    const days = total === 0 ? 0 : countSymbolDays(record, counted);
    if (days === 0) return undefined;
    const share = (typicalDaySize(dataType)?.rows ?? 0) / (typicalDaySize(counted)?.rows ?? 1);
    return { ...rowsToDaySize(dataType, (total / days) * share), isCounted: dataType === counted };
  };
}

function readStatistic(stats: unknown, name: Statistic): number {
  if (typeof stats !== 'object' || stats === null) return 0;
  const count = (stats as Readonly<Record<string, unknown>>)[name];
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}

/** Exported days of all symbols that have the data type; grouped files repeat them. */
function countSymbolDays({ datasets }: ExchangeRecord, dataType: string): number {
  // A record names the same few times for all its symbols.
  const times = new Map<string, number | undefined>();
  const dayOf = (iso: string): number | undefined => {
    if (!times.has(iso)) times.set(iso, parseTimeToDay(iso));
    return times.get(iso);
  };
  const from = dayOf(datasets?.exportedFrom ?? '') ?? Number.NEGATIVE_INFINITY;
  const until = dayOf(datasets?.exportedUntil ?? '') ?? 0;
  let days = 0;
  for (const { id, dataTypes, availableSince = '', availableTo = '' } of datasets?.symbols ?? []) {
    if (GROUPED_SYMBOLS.has(id) || !dataTypes.includes(dataType)) continue;
    const first = Math.max(dayOf(availableSince) ?? from, from);
    days += Math.max(0, Math.min(dayOf(availableTo) ?? until, until) - first);
  }
  return Number.isFinite(days) ? days : 0;
}
