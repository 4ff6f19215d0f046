// Turns rows of an order book into deltas (docs/spec/nautilus-catalog.md#order-book-deltas).

const ADD: u8 = 1;
const UPDATE: u8 = 2;
const DELETE: u8 = 3;
const CLEAR: u8 = 4;
const SNAPSHOT: u8 = 32;
const LAST: u8 = 128;

/** Addresses of the lanes of rows and of deltas, which the caller sets. */
@unmanaged
class DeltaLanes {
  isSnapshot: usize;
  rowSide: usize;
  rowPrice: usize;
  rowSize: usize;
  rowEvent: usize;
  rowInit: usize;
  action: usize;
  side: usize;
  price: usize;
  size: usize;
  flags: usize;
  event: usize;
  init: usize;
}

/**
 * Writes the deltas of `count` rows; returns their number, at most twice as many.
 * @param width bytes of a price or size.
 * @param afterSnapshot whether the row before is of a snapshot with the time `previous`.
 * @param next time of the row after, if `hasNext`.
 */
export function writeDeltas(
  lanes: usize,
  count: i32,
  width: i32,
  afterSnapshot: bool,
  previous: u64,
  hasNext: bool,
  next: u64,
): i32 {
  const l = changetype<DeltaLanes>(lanes);
  const shift: usize = width == 16 ? 4 : 3;
  let to: usize = 0;
  for (let row: usize = 0; row < <usize>count; row++) {
    const time = load<u64>(l.rowEvent + (row << 3));
    const isSnapshot = load<u8>(l.isSnapshot + row) != 0;
    if (isSnapshot && !(afterSnapshot && previous == time)) {
      store<u8>(l.action + to, CLEAR);
      store<u8>(l.side + to, 0);
      store<u64>(l.price + (to << shift), 0);
      store<u64>(l.size + (to << shift), 0);
      if (width == 16) {
        store<u64>(l.price + (to << 4), 0, 8);
        store<u64>(l.size + (to << 4), 0, 8);
      }
      store<u8>(l.flags + to, SNAPSHOT);
      store<u64>(l.event + (to << 3), time);
      store<u64>(l.init + (to << 3), load<u64>(l.rowInit + (row << 3)));
      to++;
    }
    afterSnapshot = isSnapshot;
    previous = time;
    const price = l.rowPrice + (row << shift);
    const size = l.rowSize + (row << shift);
    const sizeLow = load<u64>(size);
    let isZero = sizeLow == 0;
    store<u64>(l.price + (to << shift), load<u64>(price));
    store<u64>(l.size + (to << shift), sizeLow);
    if (width == 16) {
      const sizeHigh = load<u64>(size, 8);
      isZero = isZero && sizeHigh == 0;
      store<u64>(l.price + (to << 4), load<u64>(price, 8), 8);
      store<u64>(l.size + (to << 4), sizeHigh, 8);
    }
    store<u8>(l.action + to, isZero ? DELETE : isSnapshot ? ADD : UPDATE);
    store<u8>(l.side + to, load<u8>(l.rowSide + row));
    const isLast =
      row + 1 < <usize>count ? load<u64>(l.rowEvent + ((row + 1) << 3)) != time : !hasNext || next != time;
    store<u8>(l.flags + to, isLast ? LAST : 0);
    store<u64>(l.event + (to << 3), time);
    store<u64>(l.init + (to << 3), load<u64>(l.rowInit + (row << 3)));
    to++;
  }
  return <i32>to;
}
