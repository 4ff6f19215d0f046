import { findDataType, type RowStatistic } from '../../dataset/data-types.js';
import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import { parseTimeToDay } from '../../dataset/day.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { DaySize } from '../../store/manifest/download-history.js';

/** Average size of a day; `isCounted` if the record counts rows of this data type itself. */
export interface AverageDay extends DaySize {
  readonly isCounted: boolean;
}

/**
 * Average day size of a data type over an exchange's symbols and exported days, from `datasets.stats` of its record, read
 * as totals of the whole export (docs/spec/metadata-api.md#exchange-record). Symbols differ widely.
 * @returns undefined if the record has no statistic for it.
 */
export function createRecordAverages(record: ExchangeRecord): (dataType: string) => AverageDay | undefined {
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
