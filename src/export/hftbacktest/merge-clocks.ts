import { EVENT_MASK, VALID_EXCH, VALID_LOCAL } from './event-codes.js';
import { copyEvent, type EventColumns } from './event-columns.js';
import type { EventCursor, SortedEvents } from './sorted-events.js';

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
    copyEvent(block, rows, from.columns, from.row);
    const valid = (order <= 0 ? VALID_EXCH : 0) | (order >= 0 ? VALID_LOCAL : 0);
    block.ev[rows] = ((block.ev[rows] as number) & EVENT_MASK) | valid;
    if (order <= 0 && !byExch.advance()) await byExch.load();
    if (order >= 0 && !byLocal.advance()) await byLocal.load();
    if (++rows < block.ev.length) continue;
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
