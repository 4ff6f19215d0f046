import type { BookSnapshot } from '../book/book-snapshots.js';
import type { Top } from '../book/top-levels.js';
import type { Instrument } from '../instrument.js';
import type { BookSnapshotType, TradeBarType } from '../names/data-type-name.js';
import type { TradeBar } from '../trade-bars.js';
import { copyFixed, type Fixed, fixed } from './bytes.js';
import { lineHead, TAIL_SIZE, writeTail } from './head.js';
import { IsoTime, LONGEST_TIME } from './iso-time.js';
import { ASKS, LEVEL_SIZE, LEVELS_END, writeLevel } from './levels.js';
import type { LineBuffer } from './line-buffer.js';
import { writeNumber } from './number-text.js';

const BIDS = fixed(',"bids":[');
const FIRST_GAP = fixed('{}');
const NEXT_GAP = fixed(',{}');

/** The lines of the snapshots of one type and instrument. */
export class BookSnapshotLines {
  readonly #head: Fixed;
  readonly #size: number;
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };

  constructor({ name, depth, interval, grouping }: BookSnapshotType, instrument: Instrument) {
    this.#head = lineHead('book_snapshot', instrument, { name, depth, interval, grouping });
    this.#size = this.#head.length + 2 * depth * LEVEL_SIZE + TAIL_SIZE + 32;
  }

  write(snapshot: BookSnapshot, out: LineBuffer): void {
    const { type, bids, asks, timestamp, micros, localTimestamp } = snapshot;
    const target = out.room(this.#size);
    const { view } = target;
    let at = copyFixed(this.#head, view, out.length);
    at = copyFixed(BIDS, view, at);
    at = writeLevels(bids, type.depth, view, at);
    at = copyFixed(ASKS, view, at);
    at = writeLevels(asks, type.depth, view, at);
    at = copyFixed(LEVELS_END, view, at);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }
}

function writeLevels(
  { prices, amounts, count }: Top,
  depth: number,
  out: DataView,
  position: number,
): number {
  let at = position;
  for (let i = 0; i < depth; i++) {
    if (i >= count) at = copyFixed(i === 0 ? FIRST_GAP : NEXT_GAP, out, at);
    else at = writeLevel(prices[i] as number, amounts[i] as number, i === 0, out, at);
  }
  return at;
}

const OPEN = fixed(',"open":');
const HIGH = fixed(',"high":');
const LOW = fixed(',"low":');
const CLOSE = fixed(',"close":');
const VOLUME = fixed(',"volume":');
const BUY_VOLUME = fixed(',"buyVolume":');
const SELL_VOLUME = fixed(',"sellVolume":');
const TRADES = fixed(',"trades":');
const VWAP = fixed(',"vwap":');
const OPEN_TIMESTAMP = fixed(',"openTimestamp":"');
const CLOSE_TIMESTAMP = fixed('","closeTimestamp":"');
const LOCAL_TIMESTAMP = fixed('","localTimestamp":"');
const TIMESTAMP = fixed('","timestamp":"');
const BAR_END = fixed('"}\n');
const BAR_SIZE = 512 + 4 * LONGEST_TIME;

/** The lines of the bars of one type and instrument. */
export class TradeBarLines {
  readonly #head: Fixed;
  readonly #open = new IsoTime();
  readonly #close = new IsoTime();
  readonly #local = new IsoTime();
  readonly #time = new IsoTime();

  constructor({ name, interval, bar }: TradeBarType, instrument: Instrument) {
    this.#head = lineHead('trade_bar', instrument, { name, interval, kind: bar });
  }

  write(bar: TradeBar, out: LineBuffer): void {
    const { view } = out.room(this.#head.length + BAR_SIZE);
    let at = copyFixed(this.#head, view, out.length);
    at = writeNumber(bar.open, view, copyFixed(OPEN, view, at));
    at = writeNumber(bar.high, view, copyFixed(HIGH, view, at));
    at = writeNumber(bar.low, view, copyFixed(LOW, view, at));
    at = writeNumber(bar.close, view, copyFixed(CLOSE, view, at));
    at = writeNumber(bar.volume, view, copyFixed(VOLUME, view, at));
    at = writeNumber(bar.buyVolume, view, copyFixed(BUY_VOLUME, view, at));
    at = writeNumber(bar.sellVolume, view, copyFixed(SELL_VOLUME, view, at));
    at = writeNumber(bar.trades, view, copyFixed(TRADES, view, at));
    at = writeNumber(bar.vwap, view, copyFixed(VWAP, view, at));
    at = copyFixed(OPEN_TIMESTAMP, view, at);
    at = this.#open.write(bar.openTimestamp, bar.openMicros, view, at);
    at = copyFixed(CLOSE_TIMESTAMP, view, at);
    at = this.#close.write(bar.closeTimestamp, bar.closeMicros, view, at);
    at = copyFixed(LOCAL_TIMESTAMP, view, at);
    at = this.#local.write(bar.localTimestamp, true, view, at);
    at = copyFixed(TIMESTAMP, view, at);
    at = this.#time.write(bar.timestamp, bar.micros, view, at);
    out.add(copyFixed(BAR_END, view, at), bar.localTimestamp);
  }
}
