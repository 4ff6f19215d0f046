import type { FileStatus, PlanEvent, RunEvent } from '../../../events/run-events.js';
import { createTimeLeft } from './time-left.js';

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
