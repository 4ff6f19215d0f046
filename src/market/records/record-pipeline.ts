import { copyFixed, createFixedText, type FixedText } from '../../format/ndjson/fixed-text.js';
import { IsoTime, MAX_TIME_BYTES } from '../../format/ndjson/iso-time.js';
import { BookSnapshots } from '../book/book-snapshots.js';
import { OrderBook } from '../book/order-book.js';
import type { Instrument } from '../instrument.js';
import { BookSnapshotLines, TradeBarLines } from '../lines/computed-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { PriceLevel } from '../messages.js';
import type { BookSnapshotType, NormalizedType, TradeBarType } from '../names/message-type-name.js';
import { TRADE_SIDE, TradeBars } from '../trade-bars.js';
import type {
  BookChangeRecord,
  BookTextRecord,
  EmittedRecord,
  TextLevels,
  TradeRecord,
} from './message-record.js';
import { RecordLines } from './record-lines.js';

export interface RecordFlowOptions {
  /** See `RecordLines`. */
  readonly bookTickerKeys?: readonly string[] | undefined;
  /** The requested symbols, if disconnects state them. */
  readonly disconnectSymbols?: readonly string[] | undefined;
}

interface BookState {
  readonly book: OrderBook;
  readonly snapshots: readonly BookSnapshots[];
}

/**
 * Formats the records of one exchange as lines of the requested types: first the record, if its type is
 * requested, then the messages computed from it, in the order of `types`. Computed types keep their state by
 * symbol.
 */
export class RecordPipeline {
  readonly #exchange: string;
  readonly #lines: RecordLines;
  readonly #sourceTypes: ReadonlySet<string>;
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
    const symbolsKey =
      disconnectSymbols === undefined ? '' : `,"symbols":${JSON.stringify(disconnectSymbols)}`;
    this.#disconnectEnd = createFixedText(`"${symbolsKey}}\n`);
    this.#lines = new RecordLines(exchange, bookTickerKeys);
    this.#sourceTypes = new Set(types.filter(({ kind }) => kind === 'source').map(({ name }) => name));
    this.#barTypes = types.filter((type) => type.kind === 'trade_bar');
    this.#snapshotTypes = types.filter((type) => type.kind === 'book_snapshot');
  }

  push(record: EmittedRecord, out: LineBuffer): void {
    this.#out = out;
    if (this.#sourceTypes.has(record.type)) this.#lines.write(record, out);
    if (record.type === 'trade' && this.#barTypes.length > 0) this.#addToBars(record);
    if (record.type === 'book_change' && this.#snapshotTypes.length > 0) this.#applyToBook(record);
  }

  /**
   * Writes a disconnect, and restarts computed types, as the vendor's streams do. If disconnects are not
   * requested, this is not called, and a bar continues across the gap
   * (docs/spec/normalized-messages.md#from-raw-feeds).
   * @param localTimestamp that of the last message before the disconnect, in microseconds.
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

  /** Clears the state of computed types: bars, books, snapshots. */
  restart(): void {
    this.#bars.clear();
    this.#books.clear();
  }

  #addToBars({ symbol, price, amount, side, timestamp, micros, localTimestamp }: TradeRecord): void {
    let bars = this.#bars.get(symbol);
    if (bars === undefined) {
      bars = this.#createBars({ exchange: this.#exchange, symbol });
      this.#bars.set(symbol, bars);
    }
    for (const computed of bars)
      computed.add(price, amount, TRADE_SIDE[side], timestamp, localTimestamp, micros);
  }

  #applyToBook({
    symbol,
    isSnapshot,
    bids,
    asks,
    timestamp,
    micros,
    localTimestamp,
  }: BookChangeRecord | BookTextRecord): void {
    let state = this.#books.get(symbol);
    if (state === undefined) {
      state = this.#createBook({ exchange: this.#exchange, symbol });
      this.#books.set(symbol, state);
    }
    const { book, snapshots } = state;
    book.begin(isSnapshot);
    addLevels(book, false, bids);
    addLevels(book, true, asks);
    for (const computed of snapshots) computed.beforeChange(timestamp);
    book.commit();
    for (const computed of snapshots) computed.afterChange(timestamp, localTimestamp, micros);
  }

  #createBars(instrument: Instrument): readonly TradeBars[] {
    return this.#barTypes.map((type) => {
      const lines = new TradeBarLines(type, instrument);
      return new TradeBars(type, instrument, (bar) => this.#out && lines.write(bar, this.#out));
    });
  }

  #createBook(instrument: Instrument): BookState {
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

function addLevels(book: OrderBook, isAsk: boolean, levels: readonly PriceLevel[] | TextLevels): void {
  if ('json' in levels) {
    const { prices, amounts, count } = levels;
    for (let i = 0; i < count; i++) book.level(isAsk, prices[i] as number, amounts[i] as number);
  } else {
    for (const { price, amount } of levels) book.level(isAsk, price, amount);
  }
}
