import { type Day, formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import { dayFileOfName } from '../dataset/day-file-name.js';
import { toDatasetSymbol } from '../dataset/symbols.js';
import type { PlannedFile } from '../download/types.js';
import type { DatasetSymbol, ExchangeRecord } from '../service/records/metadata.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { daysOf } from './period.js';
import type { PlannedSeries } from './plan.js';
import type { ReplayOption, ReplayRequest } from './types.js';

/** What the files of one symbol tell of it. */
interface SymbolFiles {
  readonly dataTypes: Set<string>;
  first: Day;
  last: Day;
}

/** The day files of a destination: those of its manifest, and those whose names tell what they are. */
export async function filesIn(
  destination: Destination,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<readonly DayFile[]> {
  const files = [...manifest.records()].map(({ file }) => file);
  for await (const listed of destination.list('', signal)) {
    for (const { path } of listed) {
      const file = manifest.has(path) ? undefined : dayFileOfName(path);
      if (file) files.push(file);
    }
  }
  return files;
}

/**
 * A record made of day files, for an exchange whose own record is not stored: symbols in the order of names. A symbol
 * that is named is taken to have every day of the period, another one those from its first file to its last.
 * @returns undefined where no file is of the exchange.
 */
export function recordOfFiles(
  { exchange, symbols: wanted = [] }: ReplayOption,
  { types, period }: ReplayRequest,
  files: readonly DayFile[],
): ExchangeRecord | undefined {
  const bySymbol = new Map<string, SymbolFiles>();
  for (const { symbol, dataType, day } of files.filter((file) => file.exchange === exchange)) {
    const known = bySymbol.get(symbol) ?? { dataTypes: new Set(), first: day, last: day };
    known.dataTypes.add(dataType);
    known.first = Math.min(known.first, day) as Day;
    known.last = Math.max(known.last, day) as Day;
    bySymbol.set(symbol, known);
  }
  if (bySymbol.size === 0) return undefined;
  const named = new Set(wanted.map(toDatasetSymbol));
  const symbols = [...bySymbol].map(([id, { dataTypes, first, last }]): DatasetSymbol => {
    const bounds = { availableSince: formatDay(first), availableTo: formatDay(last) };
    return { id, dataTypes: [...dataTypes], ...(named.has(toDatasetSymbol(id)) ? {} : bounds) };
  });
  // Options are rows of one grouped file: no file is named after them.
  if (types.some(({ dayFiles }) => dayFiles === 'options_chain')) {
    for (const id of named) if (!bySymbol.has(id)) symbols.push({ id, dataTypes: [] });
  }
  symbols.sort((a, b) => (a.id < b.id ? -1 : 1));
  const { from, to } = daysOf(period);
  const datasets = { exportedFrom: formatDay(from), exportedUntil: formatDay(to), symbols };
  return { id: exchange, datasets };
}

/** Of each day on which no symbol of an exchange and data type is there, a file. */
export function daysWithoutFile(planned: readonly PlannedSeries[]): readonly PlannedFile[] {
  const byDay = new Map<string, PlannedFile>();
  const isThere = new Set<string>();
  for (const planFile of planned.flatMap(({ files }) => files)) {
    const { exchange, dataType, day } = planFile.file;
    const key = `${exchange} ${dataType} ${day}`;
    if (planFile.status !== 'unavailable') isThere.add(key);
    else if (!byDay.has(key)) byDay.set(key, planFile);
  }
  return [...byDay].filter(([key]) => !isThere.has(key)).map(([, file]) => file);
}
