import type { FileStatus, PlanEvent, RunEvent } from '../../../run/events.js';

/** How far a run has come. */
export interface ProgressReading {
  /** Files that are done, of those that the run set out to fetch. */
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number;
  /** Undefined until a file is done. */
  readonly secondsLeft: number | undefined;
}

export interface Progress {
  see(event: RunEvent): void;
  read(): ProgressReading;
}

/** Milliseconds over which the rate is taken. */
const WINDOW_MS = 10_000;
const SAMPLE_MS = 250;

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
  const began = now();
  let total = 0;
  let done = 0;
  let bytes = 0;
  let isCheck = false;
  let isConversion = false;
  const samples: { at: number; bytes: number }[] = [{ at: began, bytes: 0 }];

  const sample = (): void => {
    const at = now();
    const newest = samples.at(-1);
    if (newest !== undefined && at - newest.at < SAMPLE_MS) return;
    samples.push({ at, bytes });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift();
  };

  return {
    see(event) {
      if (event.event === 'plan') {
        total = plannedWork(event);
        isCheck = event.aim === 'verify';
        // What to skip is found on the way there.
        isConversion = event.download === undefined && !isCheck;
      } else if (event.event === 'progress') {
        bytes += event.received;
        sample();
      } else if (event.event === 'file') {
        if (isCheck || WORKED_ON.has(event.status)) done++;
        // What a download finds on disk and converts is no part of what it set out to fetch.
        if (event.status === 'converted' && !isConversion) total++;
        else if (event.status === 'skipped' && isConversion) total--;
      }
    },
    read() {
      sample();
      const oldest = samples[0] ?? { at: began, bytes: 0 };
      const ms = now() - oldest.at;
      const elapsed = now() - began;
      return {
        done,
        total,
        bytesPerSecond: ms > 0 ? ((bytes - oldest.bytes) * 1000) / ms : 0,
        secondsLeft: done > 0 && total >= done ? ((elapsed / done) * (total - done)) / 1000 : undefined,
      };
    },
  };
}
