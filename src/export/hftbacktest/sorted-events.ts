import {
  type AscendingSequence,
  type Clock,
  copyEvent,
  EVENT_MASK,
  type EventColumns,
  type EventSpace,
  LATE_EXCH,
  LATE_LOCAL,
  VALID_EXCH,
  VALID_LOCAL,
} from './event-sequences.js';

/** More than a source has. */
const MAX_RUNS = 2 ** 32;

/** A position in an ascending run. */
class EventCursor {
  readonly #space: EventSpace;
  readonly #run: AscendingSequence;
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

  constructor(space: EventSpace, run: AscendingSequence, clock: Clock, priority: number) {
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

  /** Whether no event of the chunk is left, so that `load` must follow. */
  get isAtEnd(): boolean {
    return this.row >= this.rows;
  }

  /** Goes to the first event of the chunks that follow. @returns false if there is none. @throws ReadAgain. */
  async load(): Promise<boolean> {
    const { run, enter } = this.#run;
    for (;;) {
      await enter?.(this.#chunk);
      const chunk = run.chunks[this.#chunk];
      if (!chunk) return false;
      this.#chunk++;
      this.rows = chunk.rows;
      if (chunk.columns) this.columns = chunk.columns;
      else {
        this.#buffer ??= this.#space.createColumns(this.#space.chunkRows);
        await this.#space.read(chunk, this.#buffer);
        this.columns = this.#buffer;
      }
      this.#times = this.columns[this.#clock];
      this.row = -1;
      if (this.next()) return true;
    }
  }

  /** Whether another cursor, also that of another order, is at the same event. */
  isAt(other: EventCursor): boolean {
    return this.#run.run === other.#run.run && this.#chunk === other.#chunk && this.row === other.row;
  }

  isBefore(other: EventCursor): boolean {
    return this.time < other.time || (this.time === other.time && this.#priority < other.#priority);
  }
}

/**
 * Events of ascending runs, sorted by one clock. Of equal times, those of earlier sources are first, and within a source
 * those of earlier runs.
 */
export class SortedEvents {
  readonly #space: EventSpace;
  readonly #sources: readonly (readonly AscendingSequence[])[];
  readonly #clock: Clock;
  /** Of each source, how many runs have a cursor. */
  readonly #opened: number[];
  /** Events that `advance` has gone ahead. */
  passed = 0;
  /** In the order of their events; most events are followed by one of the same run. */
  readonly #cursors: EventCursor[] = [];

  private constructor(space: EventSpace, sources: readonly (readonly AscendingSequence[])[], clock: Clock) {
    this.#space = space;
    this.#sources = sources;
    this.#clock = clock;
    this.#opened = sources.map(() => 0);
  }

  /** @param sources may get further runs, whose events belong after those that a merge can have read. */
  static async open(
    space: EventSpace,
    sources: readonly (readonly AscendingSequence[])[],
    clock: Clock,
  ): Promise<SortedEvents> {
    const sorted = new SortedEvents(space, sources, clock);
    await sorted.#openRuns();
    return sorted;
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
    this.passed += count;
    if (!(this.#cursors[0] as EventCursor).next(count)) return false;
    this.#reorder();
    return true;
  }

  async load(): Promise<void> {
    if (await this.#cursors[0]?.load()) this.#reorder();
    else this.#cursors.shift();
    await this.#openRuns();
  }

  async #openRuns(): Promise<void> {
    for (const [source, runs] of this.#sources.entries()) {
      for (let index = this.#opened[source] as number; index < runs.length; index++) {
        const priority = MAX_RUNS * source + index;
        const cursor = new EventCursor(this.#space, runs[index] as AscendingSequence, this.#clock, priority);
        this.#opened[source] = index + 1;
        if (await cursor.load()) this.#insert(cursor);
      }
    }
  }

  #insert(cursor: EventCursor): void {
    const at = this.#cursors.findIndex((other) => cursor.isBefore(other));
    this.#cursors.splice(at < 0 ? this.#cursors.length : at, 0, cursor);
  }

  #reorder(): void {
    const cursors = this.#cursors;
    const first = cursors[0] as EventCursor;
    let at = 0;
    for (let next = cursors[1]; next?.isBefore(first); next = cursors[at + 1]) cursors[at++] = next;
    cursors[at] = first;
  }
}

const VALID = VALID_EXCH | VALID_LOCAL;
const LATE = LATE_EXCH | LATE_LOCAL;

/** Columns whose first rows are used. */
export interface EventBlock {
  readonly columns: EventColumns;
  readonly rows: number;
}

/**
 * Merges the same events in two orders, so that those that are valid on a clock ascend on it
 * (docs/spec/hftbacktest-format.md#order). An event whose place is the same in both is valid on both.
 * @param createBlock returns columns for the next events.
 * @returns blocks of at least one event; all but the last one are full.
 */
export async function* mergeClocks(
  byExch: SortedEvents,
  byLocal: SortedEvents,
  createBlock: () => EventColumns,
): AsyncGenerator<EventBlock, void, undefined> {
  let columns = createBlock();
  let rows = 0;
  while (byExch.head || byLocal.head) {
    rows = mergeLoaded(byExch, byLocal, columns, rows);
    if (byExch.head?.isAtEnd) await byExch.load();
    if (byLocal.head?.isAtEnd) await byLocal.load();
    if (rows < columns.ev.length) continue;
    yield { columns, rows };
    columns = createBlock();
    rows = 0;
  }
  if (rows > 0) yield { columns, rows };
}

/**
 * Merges events into a block, behind its first rows, until it is full or an order must load its next events.
 * @returns rows of the block.
 */
function mergeLoaded(
  byExch: SortedEvents,
  byLocal: SortedEvents,
  block: EventColumns,
  startRows: number,
): number {
  let rows = startRows;
  for (let isLoaded = true; isLoaded && rows < block.ev.length; ) {
    const exch = byExch.head;
    const local = byLocal.head;
    const order = compare(exch, local);
    const from = order <= 0 ? exch : local;
    if (!from) break;
    let count = 1;
    if (exch && local?.isAt(exch)) count = copyShared(block, rows, exch, byExch.nextTime, byLocal.nextTime);
    else copyValid(block, rows, from, order === 0 ? VALID : order < 0 ? VALID_EXCH : VALID_LOCAL);
    rows += count;
    if (order <= 0) isLoaded = byExch.advance(count);
    if (order >= 0) isLoaded = byLocal.advance(count) && isLoaded;
  }
  return rows;
}

/** Compares by exchange time, then by local time. The end is after every event. */
function compare(a: EventCursor | undefined, b: EventCursor | undefined): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  const difference = (a.columns.exch[a.row] as number) - (b.columns.exch[b.row] as number);
  return difference !== 0
    ? difference
    : (a.columns.local[a.row] as number) - (b.columns.local[b.row] as number);
}

function copyValid(block: EventColumns, at: number, { columns, row }: EventCursor, valid: number): void {
  copyEvent(block, at, columns, row);
  block.ev[at] = ((columns.ev[row] as number) & EVENT_MASK) | valid;
}

/**
 * Copies events, from the common head of both orders on, that follow each other in both orders, and are valid on both
 * clocks. They are in one chunk, none of them is late, and all are earlier than the events of other runs.
 * @param exchEnd the first time of other runs, as `localEnd`.
 * @returns how many there are; the head is one in any case.
 */
function copyShared(
  block: EventColumns,
  at: number,
  head: EventCursor,
  exchEnd: number,
  localEnd: number,
): number {
  const { exch, local, ev } = head.columns;
  const shift = at - head.row;
  const end = Math.min(head.rows, block.ev.length - shift);
  let row = head.row;
  do {
    copyEvent(block, row + shift, head.columns, row);
    block.ev[row + shift] = ((ev[row] as number) & EVENT_MASK) | VALID;
    row++;
  } while (
    row < end &&
    (exch[row] as number) < exchEnd &&
    (local[row] as number) < localEnd &&
    ((ev[row] as number) & LATE) === 0
  );
  return row - head.row;
}
