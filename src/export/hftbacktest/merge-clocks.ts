import {
  copyEvent,
  EVENT_MASK,
  type EventColumns,
  LATE_EXCH,
  LATE_LOCAL,
  VALID_EXCH,
  VALID_LOCAL,
} from './event-sequences.js';
import type { EventCursor, SortedEvents } from './sorted-events.js';

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
