import { ChunkFlow, type MergeState, ReadAgain } from './chunk-flow.js';
import {
  type AscendingSequence,
  type Clock,
  copyEvent,
  copyEvents,
  createEventColumns,
  type EventColumns,
  EventSequence,
  type EventSpace,
  LATE_EXCH,
  LATE_LOCAL,
} from './event-sequences.js';

/** Late events in the short runs of a merge while the file is read, which stay in memory. */
const MAX_LATE_ROWS = 262_144;

/**
 * The events of a file in its order. Most of them ascend on both clocks. Copies of those that are earlier than one
 * before them are sorted in runs of their own.
 */
export class EventStore {
  readonly #events: EventSequence;
  readonly #lateExch: LateEvents;
  readonly #lateLocal: LateEvents;
  readonly #flow: ChunkFlow | undefined;
  readonly #runs: Readonly<Record<Clock, AscendingSequence[]>>;
  #lastExch = Number.NEGATIVE_INFINITY;
  #lastLocal = Number.NEGATIVE_INFINITY;
  #minLatency = Number.POSITIVE_INFINITY;
  #rows = 0;
  /** Late events so far, of both clocks. */
  #lateRows = 0;

  /**
   * @param merge if events are merged while others are added. Then no latency may be negative, since the least one would
   * move all local times.
   */
  constructor(space: EventSpace, merge?: MergeState) {
    const run = new EventSequence(space);
    const flow = merge && new ChunkFlow(merge, run);
    const createMainRun = (clock: Clock, skip: number): AscendingSequence => ({
      run,
      skip,
      enter: flow && ((chunk) => flow.enter(clock, chunk)),
    });
    this.#events = run;
    this.#flow = flow;
    this.#lateExch = new LateEvents(space, 'exch');
    this.#lateLocal = new LateEvents(space, 'local');
    this.#runs = {
      exch: [createMainRun('exch', LATE_EXCH)],
      local: [createMainRun('local', LATE_LOCAL)],
    };
  }

  /** Number of events. */
  get rows(): number {
    return this.#rows;
  }

  /** The least `local - exch`, in microseconds; infinite without events. */
  get minLatency(): number {
    return this.#minLatency;
  }

  /** Adds events from `start` up to `end`; sets bits of `ev`. @throws ReadAgain. */
  push(events: EventColumns, start: number, end: number): void {
    const { exch, local, ev } = events;
    let lastExch = this.#lastExch;
    let lastLocal = this.#lastLocal;
    let minLatency = this.#minLatency;
    for (let row = start; row < end; row++) {
      const exchTime = exch[row] as number;
      const localTime = local[row] as number;
      if (localTime - exchTime < minLatency) minLatency = localTime - exchTime;
      const isLateExch = exchTime < lastExch;
      const isLateLocal = localTime < lastLocal;
      if (!isLateExch) lastExch = exchTime;
      if (!isLateLocal) lastLocal = localTime;
      if (!isLateExch && !isLateLocal) continue;
      // Copies have no bits of other runs.
      if (isLateExch) this.#pushLate(this.#lateExch, 'exch', events, row);
      if (isLateLocal) this.#pushLate(this.#lateLocal, 'local', events, row);
      ev[row] = (ev[row] as number) | (isLateExch ? LATE_EXCH : 0) | (isLateLocal ? LATE_LOCAL : 0);
    }
    this.#lastExch = lastExch;
    this.#lastLocal = lastLocal;
    this.#minLatency = minLatency;
    this.#rows += end - start;
    this.#events.push(events, start, end);
    if (!this.#flow) return;
    if (minLatency < 0) throw new ReadAgain();
    if (this.#flow.release(lastExch, lastLocal)) this.#addLateRuns();
  }

  /** Resolves when more events may be added. @throws ReadAgain. */
  waitForRoom(): Promise<void> | undefined {
    return this.#flow?.waitForRoom();
  }

  /** Call it after the last event. */
  end(): void {
    this.#addLateRuns();
    this.#flow?.end();
  }

  /**
   * Runs whose merge is a stable sort: of equal events, those of earlier runs are first. An event that is not late
   * was added before every late event of the same time, since no event after these is earlier than their predecessor.
   * @returns all runs after `end`; before it, those so far, to which others will be added.
   */
  ascendingRuns(clock: Clock): readonly AscendingSequence[] {
    return this.#runs[clock];
  }

  #pushLate(late: LateEvents, clock: Clock, events: EventColumns, row: number): void {
    const time = events[clock][row] as number;
    if (this.#flow?.isTooLate(clock, time)) throw new ReadAgain();
    late.push(events, row);
    this.#lateRows++;
    if (this.#flow && this.#lateRows > MAX_LATE_ROWS) throw new ReadAgain();
  }

  #addLateRuns(): void {
    this.#runs.exch.push(...this.#lateExch.takeRuns());
    this.#runs.local.push(...this.#lateLocal.takeRuns());
  }
}

/** Events that are sorted at once, in memory. */
const MAX_SORTED_ROWS = 262_144;
const FIRST_ROWS = 64;

/** Sorts events that are rare, in any order, into runs. */
class LateEvents {
  readonly #space: EventSpace;
  readonly #clock: Clock;
  readonly #runs: EventSequence[] = [];
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
  takeRuns(): readonly AscendingSequence[] {
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
    const run = new EventSequence(this.#space);
    run.push(sorted, 0, this.#rows);
    this.#runs.push(run);
    this.#rows = 0;
  }
}
