import type { RunEvent } from '../../../events/run-events.js';

/** Estimates the remaining time of a run. */
export interface TimeLeft {
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
