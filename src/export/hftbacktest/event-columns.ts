/** Bytes of an event in columns. */
export const EVENT_BYTES = 33;

/** Columns of events. */
export interface EventColumns {
  /** Integer microseconds since the epoch, as `local`. */
  readonly exch: Float64Array;
  readonly local: Float64Array;
  readonly px: Float64Array;
  readonly qty: Float64Array;
  /** As in `event-codes.ts`. */
  readonly ev: Uint8Array;
}

/** Columns one after the other in a buffer. @param at where they begin, a multiple of 8. */
export function createEventColumns(
  rows: number,
  buffer: ArrayBufferLike = new ArrayBuffer(EVENT_BYTES * rows),
  at = 0,
): EventColumns {
  const column = (index: number): Float64Array => new Float64Array(buffer, at + 8 * rows * index, rows);
  return {
    exch: column(0),
    local: column(1),
    px: column(2),
    qty: column(3),
    ev: new Uint8Array(buffer, at + 32 * rows, rows),
  };
}

/** Copies events from `start` up to `end` to those from `at` on. */
export function copyEvents(
  to: EventColumns,
  from: EventColumns,
  at: number,
  start: number,
  end: number,
): void {
  to.exch.set(from.exch.subarray(start, end), at);
  to.local.set(from.local.subarray(start, end), at);
  to.px.set(from.px.subarray(start, end), at);
  to.qty.set(from.qty.subarray(start, end), at);
  to.ev.set(from.ev.subarray(start, end), at);
}

export function copyEvent(to: EventColumns, at: number, from: EventColumns, row: number): void {
  to.exch[at] = from.exch[row] as number;
  to.local[at] = from.local[row] as number;
  to.px[at] = from.px[row] as number;
  to.qty[at] = from.qty[row] as number;
  to.ev[at] = from.ev[row] as number;
}
