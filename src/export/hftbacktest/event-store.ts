import { createDeferred } from '../../base/wait.js';
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

/** Thrown if events cannot be merged while their files are read: the files must be read again, to their ends. */
export class ReadAgain extends Error {}

/** Chunks of a file that may be in memory before its reader waits. */
const MAX_CHUNKS = 64;
/** The last chunk grows, and the one before it is held back, since many late events belong into it. */
const HELD_CHUNKS = 2;

/** What the flows of a merge have in common. */
export class MergeState {
  #changed = createDeferred<void>();
  #isStopped = false;

  /** Wakes all that wait. */
  notify(): void {
    this.#changed.resolve();
    this.#changed = createDeferred();
  }

  /** Makes all calls throw that wait. */
  stop(): void {
    this.#isStopped = true;
    this.notify();
  }

  /** @throws ReadAgain after `stop`. */
  check(): void {
    if (this.#isStopped) throw new ReadAgain();
  }

  /** Resolves when a condition is met. @throws ReadAgain after `stop`. */
  async waitFor(isMet: () => boolean): Promise<void> {
    this.check();
    while (!isMet()) {
      await this.#changed.promise;
      this.check();
    }
  }
}

/** Passes chunks of a file on to a merge while the file is read, and drops those that were merged. */
class ChunkFlow {
  readonly #state: MergeState;
  readonly #run: EventSequence;
  /** Chunks that the merge has left, on each clock. */
  readonly #merged: Record<Clock, number> = { exch: 0, local: 0 };
  /** Chunks that the merge may read, and times that none of their events is after. */
  #released = { chunks: 0, exch: Number.NEGATIVE_INFINITY, local: Number.NEGATIVE_INFINITY };
  /** The chunks and the last times when the last chunk was begun. */
  #begun = this.#released;
  #isEnded = false;
  /** Whether the merge waits for a chunk of this file. */
  #isAwaited = false;

  constructor(state: MergeState, run: EventSequence) {
    this.#state = state;
    this.#run = run;
  }

  /** Whether an event belongs before others that may be merged already. */
  isTooLate(clock: Clock, time: number): boolean {
    return time < this.#released[clock];
  }

  /**
   * Releases full chunks.
   * @param exch the last times so far.
   * @returns whether there are any. Then the late events so far must get runs before the merge goes on.
   */
  release(exch: number, local: number): boolean {
    const chunks = this.#run.chunks.length;
    if (chunks === this.#begun.chunks) return false;
    const now = { chunks, exch, local };
    // The last released chunk was full when the previous one was begun, unless several were begun at once.
    const times = chunks === this.#begun.chunks + 1 ? this.#begun : now;
    this.#released = { ...times, chunks: chunks - HELD_CHUNKS };
    this.#begun = now;
    this.#state.notify();
    return true;
  }

  /** Releases all chunks. */
  end(): void {
    this.#isEnded = true;
    this.#state.notify();
  }

  /** Resolves when there is memory for more chunks. @throws ReadAgain, also if the merge would need more of them. */
  async waitForRoom(): Promise<void> {
    const hasRoom = (): boolean => this.#run.chunks.length - this.#mergedChunks() < MAX_CHUNKS;
    await this.#state.waitFor(() => hasRoom() || this.#isAwaited);
    // On one clock the merge is far behind the other.
    if (!hasRoom()) throw new ReadAgain();
  }

  /** Resolves when the merge may read a chunk, or when no chunk has this number. @throws ReadAgain. */
  async enter(clock: Clock, chunk: number): Promise<void> {
    this.#merged[clock] = chunk;
    this.#run.drop(this.#mergedChunks());
    const isReady = (): boolean => this.#isEnded || chunk < this.#released.chunks;
    this.#isAwaited = !isReady();
    this.#state.notify();
    await this.#state.waitFor(isReady);
    this.#isAwaited = false;
  }

  #mergedChunks(): number {
    return Math.min(this.#merged.exch, this.#merged.local);
  }
}
