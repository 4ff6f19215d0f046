import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { wait } from '../base/wait.js';
import { addDays, type Day, formatDay, msToDay, parseDay, parseTimeToDay } from '../dataset/day.js';
import type { Selection } from '../download/download-options.js';
import { type ExchangeRecord, fetchDatasetRecord } from '../service/records/fetch-records.js';
import type { ExportWait, SyncInput } from './sync-options.js';
import { createWaitMs } from './wait-step.js';

/** An exchange's record, or why there is none. */
export type RecordOrError = ExchangeRecord | TickhaulError;

export interface ExchangeRecords {
  /** By exchange. */
  readonly records: ReadonlyMap<string, RecordOrError>;
  /** What was waited for in vain. */
  readonly late: TickhaulError | undefined;
}

/**
 * Reads the record of each exchange once; with `waiting` again and again, until the day is exported or the time
 * is over.
 * @param noMore ends the wait as well.
 */
export async function fetchExchangeRecords(input: SyncInput, noMore: AbortSignal): Promise<ExchangeRecords> {
  const { jobs, waiting, emit, signal } = input;
  const exchanges = new Set(jobs.map(({ selection }) => selection.exchange));
  const records = new Map<string, RecordOrError>();
  await fetchRecords(records, exchanges, input);
  if (!waiting) return { records, late: undefined };
  const wanted = findAwaitedDays(input, waiting);
  const end = performance.now() + waiting.timeoutMs;
  const { stepMs = (attempt) => createWaitMs(attempt, Math.random()) } = waiting;
  for (let attempt = 0; ; attempt++) {
    const late = [...wanted].filter(([exchange, day]) => !isExported(records.get(exchange), day));
    if (late.length === 0) return { records, late: undefined };
    const left = end - performance.now();
    if (left <= 0 || noMore.aborted) return { records, late: createLateError(late, records) };
    const step = Math.min(left, stepMs(attempt));
    emit({ event: 'note', message: `${formatMissingDays(late, records)}; asking again in ${formatDuration(step)}` });
    await wait(step, AbortSignal.any([signal, noMore])).catch((error: unknown) => {
      if (!noMore.aborted || signal.aborted) throw error;
    });
    await fetchRecords(
      records,
      late.map(([exchange]) => exchange),
      input,
    );
  }
}

async function fetchRecords(
  records: Map<string, RecordOrError>,
  exchanges: Iterable<string>,
  { client, cache, signal }: SyncInput,
): Promise<void> {
  const fetchOne = async (exchange: string): Promise<void> => {
    try {
      records.set(exchange, await fetchDatasetRecord(client, exchange, { cache, fresh: true, signal }));
    } catch (error) {
      if (!(error instanceof TickhaulError) || signal.aborted) throw error;
      // A record that came before is better than none.
      if (!records.has(exchange)) records.set(exchange, error);
    }
  };
  await Promise.all([...exchanges].map(fetchOne));
}

/** The last day that the jobs want of each exchange, where that may still be exported. */
function findAwaitedDays({ jobs }: SyncInput, { day }: ExportWait): ReadonlyMap<string, Day> {
  const yesterday = day ?? addDays(msToDay(Date.now()), -1);
  const wanted = new Map<string, Day>();
  for (const { selection } of jobs) {
    const last = Math.min(yesterday, findLastDay(selection)) as Day;
    wanted.set(selection.exchange, Math.max(last, wanted.get(selection.exchange) ?? last) as Day);
  }
  return wanted;
}

/** Endless, where the export's end is the selection's. */
function findLastDay({ date, to }: Selection): number {
  if (date !== undefined) return parseDay(date);
  return to === undefined ? Number.POSITIVE_INFINITY : parseDay(to) - 1;
}

function isExported(record: RecordOrError | undefined, day: Day): boolean {
  if (record === undefined || record instanceof TickhaulError) return record?.code === 'usage';
  // Nothing more is to come from an exchange that has closed, or has no datasets.
  if (record.delisted === true || record.datasets === undefined) return true;
  const until = parseTimeToDay(record.datasets.exportedUntil);
  return until !== undefined && day < until;
}

type MissingDays = readonly (readonly [exchange: string, day: Day])[];

/** A record that didn't come at all is its jobs' own failure, and says nothing of the export. */
function createLateError(late: MissingDays, records: ExchangeRecords['records']): TickhaulError | undefined {
  const known = late.filter(([exchange]) => !(records.get(exchange) instanceof TickhaulError));
  if (known.length === 0) return undefined;
  return new TickhaulError('not_exported', `${formatMissingDays(known, records)}; the time to wait is over`);
}

function formatMissingDays(late: MissingDays, records: ExchangeRecords['records']): string {
  return late.map(([exchange, day]) => formatMissingDay(exchange, day, records.get(exchange))).join('; ');
}

function formatMissingDay(exchange: string, day: Day, record: RecordOrError | undefined): string {
  if (record === undefined || record instanceof TickhaulError) return record?.message ?? exchange;
  const until = parseTimeToDay(record.datasets?.exportedUntil ?? '');
  const through = until === undefined ? '' : ` (exported through ${formatDay(addDays(until, -1))})`;
  return `${exchange}: ${formatDay(day)} is not exported yet${through}`;
}
