import type { AscendingRun, Clock } from './ascending-run.js';
import { copyEvent, copyEvents, createEventColumns, type EventColumns } from './event-columns.js';
import { EventRun } from './event-run.js';
import type { EventSpace } from './event-space.js';

/** Events that are sorted at once, in memory. */
const MAX_SORTED_ROWS = 262_144;
const FIRST_ROWS = 64;

/** Sorts events that are rare, in any order, into runs. */
export class LateEvents {
  readonly #space: EventSpace;
  readonly #clock: Clock;
  readonly #runs: EventRun[] = [];
  #unsorted = createEventColumns(0);
  #rows = 0;

  constructor(space: EventSpace, clock: Clock) {
    this.#space = space;
    this.#clock = clock;
  }

  push(events: EventColumns, row: number): void {
    const capacity = this.#unsorted.ev.length;
    if (this.#rows === MAX_SORTED_ROWS) this.#sort();
    else if (this.#rows === capacity) {
      const grown = createEventColumns(Math.max(FIRST_ROWS, 2 * capacity));
      copyEvents(grown, this.#unsorted, 0, 0, this.#rows);
      this.#unsorted = grown;
    }
    copyEvent(this.#unsorted, this.#rows++, events, row);
  }

  /** Runs of the events since the last call. */
  takeRuns(): readonly AscendingRun[] {
    if (this.#rows > 0) this.#sort();
    return this.#runs.splice(0).map((run) => ({ run, skip: 0 }));
  }

  #sort(): void {
    const times = this.#unsorted[this.#clock];
    const order = Uint32Array.from({ length: this.#rows }, (_, row) => row);
    // Typed arrays sort stably.
    order.sort((a, b) => (times[a] as number) - (times[b] as number));
    const sorted = createEventColumns(this.#rows);
    for (let at = 0; at < this.#rows; at++) copyEvent(sorted, at, this.#unsorted, order[at] as number);
    const run = new EventRun(this.#space);
    run.push(sorted, 0, this.#rows);
    this.#runs.push(run);
    this.#rows = 0;
  }
}
