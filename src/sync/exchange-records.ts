import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { wait } from '../base/wait.js';
import { addDays, type Day, daysOf, formatDay, msToDay, parseDay, parseTimeToDay } from '../day-files/day.js';
import type { RequestedSelection } from '../download/download-options.js';
import { type ExchangeRecord, FIELDS, fetchRecord } from '../service/records/fetch-records.js';
import type { ExportWait, SyncInput } from './sync-options.js';

/** An exchange's record, or the error of fetching it. */
export type RecordOrError = ExchangeRecord | TickhaulError;

interface ExchangeRecords {
  /** By exchange. */
  readonly records: ReadonlyMap<string, RecordOrError>;
  /** The error if an awaited day was not exported in time. */
  readonly late: TickhaulError | undefined;
}

/**
 * Fetches the record of each exchange once; with `waiting` repeatedly, until the day is exported or the timeout is
 * over.
 * @param stopStarting ends the wait as well.
 */
export async function fetchExchangeRecords(
  input: SyncInput,
  stopStarting: AbortSignal,
): Promise<ExchangeRecords> {
  const { jobs, waiting, emit, signal } = input;
  const exchanges = new Set(jobs.map(({ selection }) => selection.exchange));
  const records = new Map<string, RecordOrError>();
  await fetchRecords(records, exchanges, input);
  if (!waiting) return { records, late: undefined };
  const awaitedDays = findAwaitedDays(input, waiting);
  const endMs = performance.now() + waiting.timeoutMs;
  const { stepMs = (attempt) => createWaitMs(attempt, Math.random()) } = waiting;
  for (let attempt = 0; ; attempt++) {
    const missing = [...awaitedDays].filter(([exchange, day]) => !isExported(records.get(exchange), day));
    if (missing.length === 0) return { records, late: undefined };
    const remainingMs = endMs - performance.now();
    if (remainingMs <= 0 || stopStarting.aborted) return { records, late: createLateError(missing, records) };
    const waitMs = Math.min(remainingMs, stepMs(attempt));
    emit({
      event: 'note',
      message: `${formatMissingDays(missing, records)}; checking again in ${formatDuration(waitMs)}`,
    });
    await wait(waitMs, AbortSignal.any([signal, stopStarting])).catch((error: unknown) => {
      if (!stopStarting.aborted || signal.aborted) throw error;
    });
    await fetchRecords(
      records,
      missing.map(([exchange]) => exchange),
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
      records.set(exchange, await fetchRecord(client, exchange, FIELDS.plan, { cache, fresh: true, signal }));
    } catch (error) {
      if (!(error instanceof TickhaulError) || signal.aborted) throw error;
      // An earlier record is better than none.
      if (!records.has(exchange)) records.set(exchange, error);
    }
  };
  await Promise.all([...exchanges].map(fetchOne));
}

/** For each exchange, the last day that the jobs need and that may not be exported yet. */
function findAwaitedDays({ jobs }: SyncInput, { day }: ExportWait): ReadonlyMap<string, Day> {
  const yesterday = day ?? addDays(msToDay(Date.now()), -1);
  const awaitedDays = new Map<string, Day>();
  for (const { selection } of jobs) {
    const last = Math.min(yesterday, findLastDay(selection)) as Day;
    awaitedDays.set(selection.exchange, Math.max(last, awaitedDays.get(selection.exchange) ?? last) as Day);
  }
  return awaitedDays;
}

/** Infinite if the selection ends with the export. */
function findLastDay({ date, to }: RequestedSelection): number {
  if (date !== undefined) return Math.max(...date.map((text) => daysOf(text).to)) - 1;
  return to === undefined ? Number.POSITIVE_INFINITY : parseDay(to) - 1;
}

function isExported(record: RecordOrError | undefined, day: Day): boolean {
  if (record === undefined || record instanceof TickhaulError) return record?.code === 'usage';
  // No further days follow for an exchange that has closed, or has no datasets.
  if (record.delisted === true || record.datasets === undefined) return true;
  const until = parseTimeToDay(record.datasets.exportedUntil);
  return until !== undefined && day < until;
}

type MissingDays = readonly (readonly [exchange: string, day: Day])[];

/** A record that could not be fetched is an error of its jobs, and says nothing about the export. */
function createLateError(
  missing: MissingDays,
  records: ExchangeRecords['records'],
): TickhaulError | undefined {
  const withRecord = missing.filter(([exchange]) => !(records.get(exchange) instanceof TickhaulError));
  if (withRecord.length === 0) return undefined;
  return new TickhaulError(
    'not_exported',
    `${formatMissingDays(withRecord, records)}; the time limit of the wait is over`,
  );
}

function formatMissingDays(missing: MissingDays, records: ExchangeRecords['records']): string {
  return missing.map(([exchange, day]) => formatMissingDay(exchange, day, records.get(exchange))).join('; ');
}

function formatMissingDay(exchange: string, day: Day, record: RecordOrError | undefined): string {
  if (record === undefined || record instanceof TickhaulError) return record?.message ?? exchange;
  const until = parseTimeToDay(record.datasets?.exportedUntil ?? '');
  const through = until === undefined ? '' : ` (exported through ${formatDay(addDays(until, -1))})`;
  return `${exchange}: ${formatDay(day)} is not exported yet${through}`;
}

const MIN_WAIT_MS = 60_000;
const MAX_WAIT_MS = 10 * MIN_WAIT_MS;
const GROWTH = 1.5;

/**
 * Milliseconds until the next check for an export: from 1 to 10 minutes, each half as long again as the last. A
 * random variation of up to a quarter prevents many machines from asking at the same time.
 * @param random from 0 to 1.
 */
export function createWaitMs(attempt: number, random: number): number {
  const waitMs = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * GROWTH ** attempt);
  return Math.round(Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs * (0.75 + random / 2))));
}
