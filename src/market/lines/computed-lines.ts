import {
  copyFixed,
  createFixedText,
  type FixedText,
  IsoTime,
  MAX_TIME_BYTES,
  writeNumber,
} from '../../format/ndjson/write-json.js';
import type { BookSnapshot, SideLevels } from '../book-snapshots.js';
import type { BookSnapshotType, TradeBarType } from '../message-type-name.js';
import type { Instrument } from '../messages.js';
import type { ComputedSink } from '../pipeline.js';
import type { TradeBar } from '../trade-bars.js';
import type { LineBuffer } from './line-buffer.js';
import {
  ASKS,
  createLineHead,
  LEVELS_END,
  MAX_LEVEL_BYTES,
  MAX_TAIL_BYTES,
  writeLevel,
  writeTail,
} from './line-parts.js';

const BIDS = createFixedText(',"bids":[');
const FIRST_EMPTY_LEVEL = createFixedText('{}');
const NEXT_EMPTY_LEVEL = createFixedText(',{}');

/** Formats the snapshots of one type and instrument as lines. */
export class BookSnapshotLines {
  readonly #head: FixedText;
  readonly #size: number;
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };

  constructor({ name, depth, interval, grouping }: BookSnapshotType, instrument: Instrument) {
    this.#head = createLineHead('book_snapshot', instrument, { name, depth, interval, grouping });
    this.#size = this.#head.length + 2 * depth * MAX_LEVEL_BYTES + MAX_TAIL_BYTES + 32;
  }

  write(snapshot: BookSnapshot, out: LineBuffer): void {
    const { type, bids, asks, timestamp, micros, localTimestamp } = snapshot;
    const target = out.room(this.#size);
    const { view } = target;
    let at = copyFixed(this.#head, view, out.length);
    at = copyFixed(BIDS, view, at);
    at = writeSnapshotLevels(bids, type.depth, view, at);
    at = copyFixed(ASKS, view, at);
    at = writeSnapshotLevels(asks, type.depth, view, at);
    at = copyFixed(LEVELS_END, view, at);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }
}

function writeSnapshotLevels(
  { prices, amounts, count }: SideLevels,
  depth: number,
  out: DataView,
  position: number,
): number {
  let at = position;
  for (let i = 0; i < depth; i++) {
    if (i >= count) at = copyFixed(i === 0 ? FIRST_EMPTY_LEVEL : NEXT_EMPTY_LEVEL, out, at);
    else at = writeLevel(prices[i] as number, amounts[i] as number, i === 0, out, at);
  }
  return at;
}

const OPEN = createFixedText(',"open":');
const HIGH = createFixedText(',"high":');
const LOW = createFixedText(',"low":');
const CLOSE = createFixedText(',"close":');
const VOLUME = createFixedText(',"volume":');
const BUY_VOLUME = createFixedText(',"buyVolume":');
const SELL_VOLUME = createFixedText(',"sellVolume":');
const TRADES = createFixedText(',"trades":');
const VWAP = createFixedText(',"vwap":');
const OPEN_TIMESTAMP = createFixedText(',"openTimestamp":"');
const CLOSE_TIMESTAMP = createFixedText('","closeTimestamp":"');
const LOCAL_TIMESTAMP = createFixedText('","localTimestamp":"');
const TIMESTAMP = createFixedText('","timestamp":"');
const BAR_END = createFixedText('"}\n');
const MAX_BAR_BYTES = 512 + 4 * MAX_TIME_BYTES;

/** Formats the bars of one type and instrument as lines. */
export class TradeBarLines {
  readonly #head: FixedText;
  readonly #open = new IsoTime();
  readonly #close = new IsoTime();
  readonly #local = new IsoTime();
  readonly #time = new IsoTime();

  constructor({ name, interval, bar }: TradeBarType, instrument: Instrument) {
    this.#head = createLineHead('trade_bar', instrument, { name, interval, kind: bar });
  }

  write(bar: TradeBar, out: LineBuffer): void {
    const { view } = out.room(this.#head.length + MAX_BAR_BYTES);
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

/** Writes computed messages as lines to the buffer that is set before rows or records are passed. */
export class ComputedLines implements ComputedSink {
  out: LineBuffer | undefined;

  createBarSink(type: TradeBarType, instrument: Instrument): (bar: TradeBar) => void {
    const lines = new TradeBarLines(type, instrument);
    return (bar) => this.out && lines.write(bar, this.out);
  }

  createSnapshotSink(type: BookSnapshotType, instrument: Instrument): (snapshot: BookSnapshot) => void {
    const lines = new BookSnapshotLines(type, instrument);
    return (snapshot) => this.out && lines.write(snapshot, this.out);
  }
}
