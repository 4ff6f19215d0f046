import { EVENT_MASK, LATE_EXCH, LATE_LOCAL, VALID_EXCH, VALID_LOCAL } from './event-codes.js';
import { copyEvent, copyEvents, type EventColumns } from './event-columns.js';
import type { EventCursor, SortedEvents } from './sorted-events.js';

const VALID = VALID_EXCH | VALID_LOCAL;
const LATE = LATE_EXCH | LATE_LOCAL;

/** Fewer events are copied faster one by one. */
const MIN_ROWS_TO_COPY = 64;

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
  let block = createBlock();
  let rows = 0;
  for (;;) {
    const exch = byExch.head;
    const local = byLocal.head;
    const order = compare(exch, local);
    const from = order <= 0 ? exch : local;
    if (!from) break;
    const isShared = exch && local?.isAt(exch);
    const count = isShared ? countSharedEvents(exch, byExch, byLocal, block.ev.length - rows) : 1;
    const valid = order === 0 ? VALID : order < 0 ? VALID_EXCH : VALID_LOCAL;
    if (count >= MIN_ROWS_TO_COPY) copyEvents(block, from.columns, rows, from.row, from.row + count);
    else for (let i = 0; i < count; i++) copyEvent(block, rows + i, from.columns, from.row + i);
    for (const end = rows + count; rows < end; rows++)
      block.ev[rows] = ((block.ev[rows] as number) & EVENT_MASK) | valid;
    if (order <= 0 && !byExch.advance(count)) await byExch.load();
    if (order >= 0 && !byLocal.advance(count)) await byLocal.load();
    if (rows < block.ev.length) continue;
    yield { columns: block, rows };
    block = createBlock();
    rows = 0;
  }
  if (rows > 0) yield { columns: block, rows };
}

/** Compares by exchange time, then by local time. The end is after every event. */
function compare(a: EventCursor | undefined, b: EventCursor | undefined): number {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  const difference = (a.columns.exch[a.row] as number) - (b.columns.exch[b.row] as number);
  return difference !== 0
    ? difference
    : (a.columns.local[a.row] as number) - (b.columns.local[b.row] as number);
}

/**
 * Number of events, from the common head of both orders on, that follow each other in both orders. They are in one chunk,
 * none of them is late, and all are earlier than the events of other runs.
 */
function countSharedEvents(
  head: EventCursor,
  byExch: SortedEvents,
  byLocal: SortedEvents,
  maxEvents: number,
): number {
  const { exch, local, ev } = head.columns;
  const { nextTime: exchEnd } = byExch;
  const { nextTime: localEnd } = byLocal;
  const end = Math.min(head.rows, head.row + maxEvents);
  let row = head.row + 1;
  while (
    row < end &&
    (exch[row] as number) < exchEnd &&
    (local[row] as number) < localEnd &&
    ((ev[row] as number) & LATE) === 0
  )
    row++;
  return row - head.row;
}
