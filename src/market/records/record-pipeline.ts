import { BookSnapshots } from '../book/book-snapshots.js';
import { OrderBook } from '../book/order-book.js';
import type { Instrument } from '../instrument.js';
import { BookSnapshotLines, TradeBarLines } from '../lines/computed-lines.js';
import { copyFixed, createFixedText, type FixedText } from '../lines/fixed-text.js';
import { IsoTime, MAX_TIME_BYTES } from '../lines/iso-time.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { BookSnapshotType, NormalizedType, TradeBarType } from '../names/data-type-name.js';
import { TRADE_SIDE, TradeBars } from '../trade-bars.js';
import { RecordLines } from './record-lines.js';
import type { BookChangeRecord, SourceRecord, TradeRecord } from './source-record.js';

export interface RecordFlowOptions {
  /** As `RecordLines` has it. */
  readonly bookTickerKeys?: readonly string[] | undefined;
  /** What disconnects say that was asked for, where they do. */
  readonly disconnectSymbols?: readonly string[] | undefined;
}

interface BookState {
  readonly book: OrderBook;
  readonly snapshots: readonly BookSnapshots[];
}

/**
 * The records of one exchange as lines of the types that are asked for: a record goes first, if its type is asked for,
 * then what is computed of it, in the order of `types`. What is computed is kept by symbol.
 */
export class RecordPipeline {
  readonly #exchange: string;
  readonly #lines: RecordLines;
  readonly #asked: ReadonlySet<string>;
  readonly #barTypes: readonly TradeBarType[];
  readonly #snapshotTypes: readonly BookSnapshotType[];
  readonly #bars = new Map<string, readonly TradeBars[]>();
  readonly #books = new Map<string, BookState>();
  readonly #disconnectHead: FixedText;
  readonly #disconnectEnd: FixedText;
  readonly #disconnectTime = new IsoTime();
  #out: LineBuffer | undefined;

  constructor(exchange: string, types: readonly NormalizedType[], options: RecordFlowOptions = {}) {
    const { bookTickerKeys, disconnectSymbols } = options;
    this.#exchange = exchange;
    const disconnect = JSON.stringify({ type: 'disconnect', exchange, localTimestamp: '' });
    this.#disconnectHead = createFixedText(disconnect.slice(0, -2));
    const asked = disconnectSymbols === undefined ? '' : `,"symbols":${JSON.stringify(disconnectSymbols)}`;
    this.#disconnectEnd = createFixedText(`"${asked}}\n`);
    this.#lines = new RecordLines(exchange, bookTickerKeys);
    this.#asked = new Set(types.filter(({ kind }) => kind === 'source').map(({ name }) => name));
    this.#barTypes = types.filter((type) => type.kind === 'trade_bar');
    this.#snapshotTypes = types.filter((type) => type.kind === 'book_snapshot');
  }

  push(record: SourceRecord, out: LineBuffer): void {
    this.#out = out;
    if (this.#asked.has(record.type)) this.#lines.write(record, out);
    if (record.type === 'trade' && this.#barTypes.length > 0) this.#addToBars(record);
    if (record.type === 'book_change' && this.#snapshotTypes.length > 0) this.#applyToBook(record);
  }

  /**
   * The line of a disconnect. What is computed begins anew behind it, as after one in the vendor's streams (replay
   * facts, section 2): where the line isn't asked for, this isn't called, and a bar runs on across the gap.
   * @param localTimestamp microseconds, of the last message before it.
   */
  disconnect(localTimestamp: number, out: LineBuffer): void {
    this.restart();
    const head = this.#disconnectHead;
    const end = this.#disconnectEnd;
    const { view } = out.room(head.length + MAX_TIME_BYTES + end.length);
    let at = copyFixed(head, view, out.length);
    at = this.#disconnectTime.write(localTimestamp, true, view, at);
    out.add(copyFixed(end, view, at), localTimestamp);
  }

  /** What is computed begins anew: bars, books, snapshots. */
  restart(): void {
    this.#bars.clear();
    this.#books.clear();
  }

  #addToBars({ symbol, price, amount, side, timestamp, micros, localTimestamp }: TradeRecord): void {
    let bars = this.#bars.get(symbol);
    if (bars === undefined) {
      bars = this.#newBars({ exchange: this.#exchange, symbol });
      this.#bars.set(symbol, bars);
    }
    for (const one of bars) one.add(price, amount, TRADE_SIDE[side], timestamp, localTimestamp, micros);
  }

  #applyToBook({
    symbol,
    isSnapshot,
    bids,
    asks,
    timestamp,
    micros,
    localTimestamp,
  }: BookChangeRecord): void {
    let state = this.#books.get(symbol);
    if (state === undefined) {
      state = this.#newBook({ exchange: this.#exchange, symbol });
      this.#books.set(symbol, state);
    }
    const { book, snapshots } = state;
    book.begin(isSnapshot);
    for (const { price, amount } of bids) book.level(false, price, amount);
    for (const { price, amount } of asks) book.level(true, price, amount);
    for (const one of snapshots) one.beforeChange(timestamp);
    book.commit();
    for (const one of snapshots) one.afterChange(timestamp, localTimestamp, micros);
  }

  #newBars(instrument: Instrument): readonly TradeBars[] {
    return this.#barTypes.map((type) => {
      const lines = new TradeBarLines(type, instrument);
      return new TradeBars(type, instrument, (bar) => this.#out && lines.write(bar, this.#out));
    });
  }

  #newBook(instrument: Instrument): BookState {
    const book = new OrderBook();
    const snapshots = this.#snapshotTypes.map((type) => {
      const lines = new BookSnapshotLines(type, instrument);
      return new BookSnapshots(
        type,
        instrument,
        book,
        (snapshot) => this.#out && lines.write(snapshot, this.#out),
      );
    });
    return { book, snapshots };
  }
}
