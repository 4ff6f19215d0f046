import type { RunEvent } from '../../../run/events.js';

/** How long a run will take from now. */
export interface TimeLeft {
  see(event: RunEvent): void;
  /**
   * Seconds, from the pace of files that are done and of those under way, so a rate limit is part of it. It grows only
   * after something went wrong, or if files turn out far larger than those before.
   * @param done files, of `total`. @returns undefined while the pace is not known.
   */
  seconds(done: number, total: number): number | undefined;
}

/** Before that, answers of the service take most of the time. */
const MIN_ELAPSED_MS = 2000;
/** Files of one run differ in size; an estimate within this ratio and margin of the last one shown does not raise it. */
const MAX_GROWTH = 2;
const MAX_GROWTH_SECONDS = 30;

/** The bytes of a file under way. */
interface Part {
  /** Those that an earlier run brought. */
  readonly start: number;
  position: number;
  total: number | undefined;
}

/** @param now milliseconds of a clock that never goes back. */
export function createTimeLeft(now: () => number): TimeLeft {
  let began = now();
  const parts = new Map<string, Part>();
  let shown = Number.POSITIVE_INFINITY;

  const isWithin = (estimate: number): boolean =>
    estimate <= Math.max(shown * MAX_GROWTH, shown + MAX_GROWTH_SECONDS);
  return {
    see(event) {
      if (event.event === 'plan') began = now();
      else if (event.event === 'progress') {
        const { path, received, position, total } = event;
        const { start } = parts.get(path) ?? { start: position - received };
        parts.set(path, { start: Math.min(start, position), position, total });
      } else if (event.event === 'retry') parts.delete(event.path);
      else if (event.event === 'file') parts.delete(event.path);
      const isTrouble = event.event === 'retry' || event.event === 'pause';
      if (isTrouble || (event.event === 'file' && event.error)) shown = Number.POSITIVE_INFINITY;
    },
    seconds(done, total) {
      const elapsed = now() - began;
      const worked = done + [...parts.values()].reduce((sum, part) => sum + shareOf(part), 0);
      if (worked === 0 || total < done || (done === 0 && elapsed < MIN_ELAPSED_MS)) return undefined;
      const estimate = ((elapsed / worked) * Math.max(0, total - worked)) / 1000;
      if (estimate < shown || !isWithin(estimate)) shown = estimate;
      return shown;
    },
  };
}

/** How much of the work on a file is done, up to 1; 0 where its size is not known. */
function shareOf({ start, position, total }: Part): number {
  return total === undefined || total <= start ? 0 : Math.min(1, (position - start) / (total - start));
}
