import type { FileStatus, PlanEvent, RunEvent } from '../../../run/events.js';
import { createRate } from './rate.js';
import { createTimeLeft } from './time-left.js';

/** How far a run has come. */
export interface ProgressReading {
  /** Files that are done, of those that the run set out to fetch. */
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number;
  /** Undefined until something has come. */
  readonly secondsLeft: number | undefined;
}

export interface Progress {
  see(event: RunEvent): void;
  read(): ProgressReading;
}

const WORKED_ON: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'failed']);

/** What a run sets out to do with its files. */
export function plannedAim({ aim, download }: PlanEvent): string {
  if (aim === 'verify') return 'to verify';
  return download === undefined ? 'to convert' : 'to download';
}

/** Files that a run sets out to work on. */
export function plannedWork({ files, download, resume }: PlanEvent): number {
  return download === undefined ? files : download + (resume ?? 0);
}

/** Counts files and bytes of a run. @param now milliseconds of a clock that never goes back. */
export function createProgress(now: () => number): Progress {
  const timeLeft = createTimeLeft(now);
  let total = 0;
  let done = 0;
  let isCheck = false;
  let isConversion = false;
  const rate = createRate(now);

  return {
    see(event) {
      timeLeft.see(event);
      if (event.event === 'plan') {
        total = plannedWork(event);
        isCheck = event.aim === 'verify';
        // What to skip is found on the way there.
        isConversion = event.download === undefined && !isCheck;
      } else if (event.event === 'progress') {
        rate.add(event.received);
      } else if (event.event === 'file') {
        if (isCheck || WORKED_ON.has(event.status)) done++;
        // What a download finds on disk and converts is no part of what it set out to fetch.
        if (event.status === 'converted' && !isConversion) total++;
        else if (event.status === 'skipped' && isConversion) total--;
      }
    },
    read() {
      return { done, total, bytesPerSecond: rate.perSecond(), secondsLeft: timeLeft.seconds(done, total) };
    },
  };
}
