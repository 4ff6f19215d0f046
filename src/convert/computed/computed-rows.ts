import { bookLevelColumns, type Column, LEADING_COLUMNS } from '../../day-files/data-types.js';
import type { Schema } from '../../format/batch.js';
import { quoteCell } from '../../format/csv/csv-cells.js';
import { MAX_NUMBER_BYTES, writeNumber } from '../../format/ndjson/write-json.js';
import type { BookSnapshot, SideLevels } from '../../market/book-snapshots.js';
import type { ComputedType } from '../../market/message-type-name.js';
import type { Instrument } from '../../market/messages.js';
import type { TradeBar } from '../../market/trade-bars.js';

const LF = 10;
const COMMA = 44;

/** Text of filled bars that is written at once, in bytes. */
const FILL_BYTES = 256 * 1024;

const number = (name: string): Column => ({ name, kind: 'number' });
const time = (name: string): Column => ({ name, kind: 'time' });

/** Columns of bars, in the order of `addBar`. */
const BAR_COLUMNS: Schema = [
  ...['open', 'high', 'low', 'close', 'volume', 'buy_volume', 'sell_volume'].map(number),
  { name: 'trades', kind: 'integer' },
  number('vwap'),
  time('open_timestamp'),
  time('close_timestamp'),
];

/** The columns of a computed type (docs/spec/computed-data.md#file-columns). */
export function computedColumns(type: ComputedType): Schema {
  return [...LEADING_COLUMNS, ...(type.kind === 'trade_bar' ? BAR_COLUMNS : bookLevelColumns(type.depth))];
}

/**
 * Writes computed rows as the CSV text that a day file of them would have, without a header, in the order of
 * `computedColumns`. Numbers are in JavaScript's shortest form.
 */
export class ComputedRows {
  readonly #numberRoom: number;
  /** Exchange and symbol as text, of each instrument. */
  readonly #names = new Map<Instrument, Buffer>();
  #bytes = Buffer.alloc(64 * 1024);
  #view = toView(this.#bytes);
  #length = 0;
  /** Bars of several intervals, each with the position in the text at which its rows belong. */
  readonly #gaps: { readonly at: number; readonly bar: TradeBar }[] = [];
  /** Writes the rows of gaps, which may be more than fit into memory. */
  #filler: ComputedRows | undefined;

  constructor(type: ComputedType) {
    this.#numberRoom = (MAX_NUMBER_BYTES + 1) * computedColumns(type).length;
  }

  addBar(bar: TradeBar): void {
    if (bar.intervals > 1) {
      this.#gaps.push({ at: this.#length, bar: { ...bar } });
      return;
    }
    this.#beginRow(bar.instrument);
    this.#add(bar.timestamp);
    this.#add(bar.localTimestamp);
    this.#add(bar.open);
    this.#add(bar.high);
    this.#add(bar.low);
    this.#add(bar.close);
    this.#add(bar.volume);
    this.#add(bar.buyVolume);
    this.#add(bar.sellVolume);
    this.#add(bar.trades);
    this.#add(bar.vwap);
    this.#add(bar.openTimestamp);
    this.#add(bar.closeTimestamp);
    this.#bytes[this.#length++] = LF;
  }

  /** Missing levels are empty. */
  addSnapshot({ instrument, timestamp, localTimestamp, asks, bids, type }: BookSnapshot): void {
    this.#beginRow(instrument);
    this.#add(timestamp);
    this.#add(localTimestamp);
    for (let level = 0; level < type.depth; level++) {
      this.#addLevel(asks, level);
      this.#addLevel(bids, level);
    }
    this.#bytes[this.#length++] = LF;
  }

  /** Yields the rows since the last call; each text is valid until the next one is requested. */
  *takeTexts(): Generator<Buffer, void, undefined> {
    const length = this.#length;
    this.#length = 0;
    let from = 0;
    for (const { at, bar } of this.#gaps.splice(0)) {
      if (at > from) yield this.#bytes.subarray(from, at);
      from = at;
      this.#filler ??= new ComputedRows(bar.type);
      yield* this.#filler.#fillGap(bar);
    }
    if (length > from) yield this.#bytes.subarray(from, length);
  }

  *#fillGap(bar: TradeBar): Generator<Buffer, void, undefined> {
    const row = { ...bar, intervals: 1 };
    for (let left = bar.intervals; left > 0; left--) {
      this.addBar(row);
      row.timestamp += bar.type.interval * 1000;
      if (this.#length >= FILL_BYTES) yield* this.takeTexts();
    }
    yield* this.takeTexts();
  }

  #addLevel({ prices, amounts, count }: SideLevels, level: number): void {
    this.#add(level < count ? (prices[level] as number) : Number.NaN);
    this.#add(level < count ? (amounts[level] as number) : Number.NaN);
  }

  #beginRow(instrument: Instrument): void {
    let names = this.#names.get(instrument);
    if (!names) {
      names = Buffer.from(`${quoteCell(instrument.exchange)},${quoteCell(instrument.symbol)}`);
      this.#names.set(instrument, names);
    }
    const needed = this.#length + names.length + this.#numberRoom;
    if (needed > this.#bytes.length) {
      const larger = Buffer.alloc(2 * needed);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
      this.#view = toView(larger);
    }
    this.#bytes.set(names, this.#length);
    this.#length += names.length;
  }

  /** Writes the next cell; a value that is not finite is an empty cell. */
  #add(value: number): void {
    this.#bytes[this.#length++] = COMMA;
    if (Number.isFinite(value)) this.#length = writeNumber(value, this.#view, this.#length);
  }
}

function toView({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
