import type { FileStatus, PlanEvent, RunEvent } from '../../../events/run-events.js';

/** Progress of a run. */
export interface ProgressReading {
  /** Finished files, of those that the run has to process. */
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number;
  /** Undefined until the pace is known. */
  readonly secondsLeft: number | undefined;
}

export interface RunProgress {
  record(event: RunEvent): void;
  read(): ProgressReading;
}

const PROCESSED_STATUSES: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'failed']);

/** The planned action of a run, for messages. */
export function formatPlannedAim({ aim, download }: PlanEvent): string {
  if (aim !== undefined) return aim === 'audit' ? 'to read' : `to ${aim}`;
  return download === undefined ? 'to convert' : 'to download';
}

/** The number of files that a run has to process. */
export function countPlannedWork({ files, download, resume, read }: PlanEvent): number {
  if (read !== undefined) return read;
  return download === undefined ? files : download + (resume ?? 0);
}

/** Counts files and bytes of a run. @param now monotonic clock in milliseconds. */
export function createRunProgress(now: () => number): RunProgress {
  const timeLeft = createTimeLeft(now);
  let total = 0;
  let done = 0;
  let isCheck = false;
  let isConversion = false;
  let isExport = false;
  const rate = createTransferRate(now);
  const started = new Set<string>();

  return {
    record(event) {
      timeLeft.record(event);
      if (event.event === 'plan') {
        total = countPlannedWork(event);
        isExport = event.aim === 'export';
        isCheck = event.aim !== undefined && !isExport;
        // A conversion finds skipped files only while it runs.
        isConversion = event.download === undefined && event.aim === undefined;
      } else if (event.event === 'progress') {
        rate.add(event.received);
      } else if (event.event === 'start') {
        started.add(event.path);
      } else if (event.event === 'day') {
        // Days with a record are not read.
        if (event.path !== null && started.delete(event.path)) done++;
      } else if (event.event === 'file' && isExport) {
        // The plan counts exports, of which one may have several outputs.
        if (started.delete(event.source ?? event.path)) done++;
      } else if (event.event === 'file') {
        started.delete(event.path);
        if (isCheck || PROCESSED_STATUSES.has(event.status)) done++;
        // A download also converts existing files, which the plan does not count as work.
        if (event.status === 'converted' && !isConversion) total++;
        else if (event.status === 'skipped' && isConversion) total--;
      }
    },
    read() {
      return { done, total, bytesPerSecond: rate.perSecond(), secondsLeft: timeLeft.seconds(done, total) };
    },
  };
}

/** Milliseconds over which the rate is averaged. */
const WINDOW_MS = 10_000;
const SAMPLE_INTERVAL_MS = 250;

/** Recent transfer rate in bytes per second. */
export interface TransferRate {
  add(bytes: number): void;
  perSecond(): number;
}

/** @param now monotonic clock in milliseconds. */
export function createTransferRate(now: () => number): TransferRate {
  let bytes = 0;
  const samples: { at: number; bytes: number }[] = [{ at: now(), bytes: 0 }];
  const addSample = (): void => {
    const at = now();
    const newest = samples.at(-1);
    if (newest !== undefined && at - newest.at < SAMPLE_INTERVAL_MS) return;
    samples.push({ at, bytes });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift();
  };
  return {
    add(count) {
      bytes += count;
      addSample();
    },
    perSecond() {
      addSample();
      const oldest = samples[0] ?? { at: now(), bytes: 0 };
      const ms = now() - oldest.at;
      return ms > 0 ? ((bytes - oldest.bytes) * 1000) / ms : 0;
    },
  };
}

/** Estimates the remaining time of a run. */
interface TimeLeft {
  record(event: RunEvent): void;
  /**
   * Estimated seconds, from the pace of finished and running files, so rate limits are included. It increases only after
   * an error, or if files are far larger than earlier ones.
   * @param done finished files, of `total`. @returns undefined while the pace is unknown.
   */
  seconds(done: number, total: number): number | undefined;
}

/** Before this time, responses of the service dominate the pace. */
const MIN_ELAPSED_MS = 2000;
/**
 * Files of a run differ in size; an estimate within this ratio and margin of the last shown one does not
 * replace it.
 */
const MAX_GROWTH = 2;
const MAX_GROWTH_SECONDS = 30;

/** Bytes of a running file. */
interface Part {
  /** Bytes of an earlier run. */
  readonly start: number;
  position: number;
  total: number | undefined;
}

/** @param now monotonic clock in milliseconds. */
export function createTimeLeft(now: () => number): TimeLeft {
  let startedAtMs = now();
  const parts = new Map<string, Part>();
  let lastEstimate = Number.POSITIVE_INFINITY;

  const isWithin = (estimate: number): boolean =>
    estimate <= Math.max(lastEstimate * MAX_GROWTH, lastEstimate + MAX_GROWTH_SECONDS);
  return {
    record(event) {
      if (event.event === 'plan') startedAtMs = now();
      else if (event.event === 'progress') {
        const { path, received, position, total } = event;
        const { start } = parts.get(path) ?? { start: position - received };
        parts.set(path, { start: Math.min(start, position), position, total });
      } else if (event.event === 'retry') parts.delete(event.path);
      else if (event.event === 'file') {
        parts.delete(event.path);
        if (event.source !== undefined) parts.delete(event.source);
      }
      const isSetback = event.event === 'retry' || event.event === 'pause';
      if (isSetback || (event.event === 'file' && event.error)) lastEstimate = Number.POSITIVE_INFINITY;
    },
    seconds(done, total) {
      const elapsed = now() - startedAtMs;
      const completedWork = done + [...parts.values()].reduce((sum, part) => sum + computeShare(part), 0);
      if (completedWork === 0 || total < done || (done === 0 && elapsed < MIN_ELAPSED_MS)) return undefined;
      const estimate = ((elapsed / completedWork) * Math.max(0, total - completedWork)) / 1000;
      if (estimate < lastEstimate || !isWithin(estimate)) lastEstimate = estimate;
      return lastEstimate;
    },
  };
}

/** Progress of a file, up to 1; 0 if its size is unknown. */
function computeShare({ start, position, total }: Part): number {
  return total === undefined || total <= start ? 0 : Math.min(1, (position - start) / (total - start));
}
