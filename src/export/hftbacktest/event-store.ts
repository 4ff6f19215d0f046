import { LATE_EXCH, LATE_LOCAL } from './event-codes.js';
import type { EventColumns } from './event-columns.js';
import { EventRun } from './event-run.js';
import type { EventSpace } from './event-space.js';
import { LateEvents } from './late-events.js';

export type Clock = 'exch' | 'local';

/** A run whose events ascend on a clock, but for those with the bit `skip`, which other runs have. */
export interface AscendingRun {
  readonly run: EventRun;
  readonly skip: number;
}

/**
 * The events of a file in its order. Most of them ascend on both clocks. Copies of those that are earlier than one
 * before them are sorted in runs of their own.
 */
export class EventStore {
  readonly #events: EventRun;
  readonly #lateExch: LateEvents;
  readonly #lateLocal: LateEvents;
  #lastExch = Number.NEGATIVE_INFINITY;
  #lastLocal = Number.NEGATIVE_INFINITY;
  #minLatency = Number.POSITIVE_INFINITY;

  constructor(space: EventSpace) {
    this.#events = new EventRun(space);
    this.#lateExch = new LateEvents(space, 'exch');
    this.#lateLocal = new LateEvents(space, 'local');
  }

  /** The least `local - exch`, in microseconds; infinite without events. */
  get minLatency(): number {
    return this.#minLatency;
  }

  /** Adds events from `start` up to `end`; sets bits of `ev`. */
  push(events: EventColumns, start: number, end: number): void {
    const { exch, local, ev } = events;
    let [lastExch, lastLocal, minLatency] = [this.#lastExch, this.#lastLocal, this.#minLatency];
    for (let row = start; row < end; row++) {
      const exchTime = exch[row] as number;
      const localTime = local[row] as number;
      if (localTime - exchTime < minLatency) minLatency = localTime - exchTime;
      const isLateExch = exchTime < lastExch;
      const isLateLocal = localTime < lastLocal;
      if (isLateExch) this.#lateExch.push(events, row);
      else lastExch = exchTime;
      if (isLateLocal) this.#lateLocal.push(events, row);
      else lastLocal = localTime;
      if (isLateExch) ev[row] = (ev[row] as number) | LATE_EXCH;
      if (isLateLocal) ev[row] = (ev[row] as number) | LATE_LOCAL;
    }
    [this.#lastExch, this.#lastLocal, this.#minLatency] = [lastExch, lastLocal, minLatency];
    this.#events.push(events, start, end);
  }

  /**
   * Runs whose merge is a stable sort: of equal events, those of earlier runs are first. An event that is not late
   * was added before every late event of the same time, since no event after these is earlier than their predecessor.
   */
  ascendingRuns(clock: Clock): readonly AscendingRun[] {
    const [skip, late] = clock === 'exch' ? [LATE_EXCH, this.#lateExch] : [LATE_LOCAL, this.#lateLocal];
    return [{ run: this.#events, skip }, ...late.sortedRuns().map((run) => ({ run, skip: 0 }))];
  }
}
