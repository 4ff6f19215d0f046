import type { EventColumns } from './event-columns.js';
import { CHUNK_ROWS, type EventSpace } from './event-space.js';
import type { AscendingRun, Clock } from './event-store.js';

/** A position in an ascending run. */
export class EventCursor {
  readonly #space: EventSpace;
  readonly #run: AscendingRun;
  readonly #clock: Clock;
  /** Of runs with equal times, the one with the least number is first. */
  readonly #priority: number;
  #chunk = 0;
  /** For chunks that are in the file. */
  #buffer: EventColumns | undefined;
  #times: Float64Array = new Float64Array();
  columns!: EventColumns;
  /** Number of events in `columns`. */
  rows = 0;
  /** The event in `columns`. */
  row = 0;
  time = 0;

  constructor(space: EventSpace, run: AscendingRun, clock: Clock, priority: number) {
    this.#space = space;
    this.#run = run;
    this.#clock = clock;
    this.#priority = priority;
  }

  /**
   * Goes `count` events ahead, of which only the last may be followed by late events, which are passed over.
   * @returns false if the chunk has no further event.
   */
  next(count = 1): boolean {
    const { ev } = this.columns;
    const { skip } = this.#run;
    let row = this.row + count;
    while (row < this.rows && ((ev[row] as number) & skip) !== 0) row++;
    this.row = row;
    this.time = this.#times[row] as number;
    return row < this.rows;
  }

  /** Goes to the first event of the chunks that follow. @returns false if there is none. */
  async load(): Promise<boolean> {
    const { chunks } = this.#run.run;
    for (let chunk = chunks[this.#chunk]; chunk; chunk = chunks[this.#chunk]) {
      this.#chunk++;
      this.rows = chunk.rows;
      if (chunk.columns) this.columns = chunk.columns;
      else {
        this.#buffer ??= this.#space.createColumns(CHUNK_ROWS);
        await this.#space.read(chunk, this.#buffer);
        this.columns = this.#buffer;
      }
      this.#times = this.columns[this.#clock];
      this.row = -1;
      if (this.next()) return true;
    }
    return false;
  }

  /** Whether another cursor, also that of another order, is at the same event. */
  isAt(other: EventCursor): boolean {
    return this.#run.run === other.#run.run && this.#chunk === other.#chunk && this.row === other.row;
  }

  isBefore(other: EventCursor): boolean {
    return this.time < other.time || (this.time === other.time && this.#priority < other.#priority);
  }
}

/** Events of ascending runs, sorted by one clock. Of equal times, those of earlier runs are first. */
export class SortedEvents {
  /** In the order of their events; most events are followed by one of the same run. */
  readonly #cursors: EventCursor[];

  private constructor(cursors: EventCursor[]) {
    this.#cursors = cursors;
  }

  static async open(space: EventSpace, runs: readonly AscendingRun[], clock: Clock): Promise<SortedEvents> {
    const cursors: EventCursor[] = [];
    for (const [priority, run] of runs.entries()) {
      const cursor = new EventCursor(space, run, clock, priority);
      if (await cursor.load()) cursors.push(cursor);
    }
    return new SortedEvents(cursors.sort((a, b) => (a.isBefore(b) ? -1 : 1)));
  }

  /** Where the next event is; undefined at the end. */
  get head(): EventCursor | undefined {
    return this.#cursors[0];
  }

  /** The time of the first event of all other runs; infinite if there is none. */
  get nextTime(): number {
    return this.#cursors[1]?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Goes `count` events ahead, which are next to each other in one run. @returns false if `load` must do so. */
  advance(count = 1): boolean {
    if (!(this.#cursors[0] as EventCursor).next(count)) return false;
    this.#reorder();
    return true;
  }

  async load(): Promise<void> {
    if (await this.#cursors[0]?.load()) this.#reorder();
    else this.#cursors.shift();
  }

  #reorder(): void {
    const cursors = this.#cursors;
    const first = cursors[0] as EventCursor;
    let at = 0;
    for (let next = cursors[1]; next?.isBefore(first); next = cursors[at + 1]) cursors[at++] = next;
    cursors[at] = first;
  }
}
