import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import {
  assertFilled,
  type Batch,
  createBatchError,
  getBooleans,
  getDictionary,
  getNumbers,
  getTextCodes,
} from '../../format/batch.js';
import { SELECT_OTHERS, sameOutputError } from '../export-target.js';
import {
  BUY_BIT,
  CLEAR,
  copyEvent,
  copyEvents,
  createEventColumns,
  DEPTH,
  type EventColumns,
  type EventSpace,
  SELL_BIT,
  SNAPSHOT,
  TRADE,
} from './event-sequences.js';
import { EventStore, type MergeState } from './event-store.js';

/** The names of outputs are fixed, and so are those of the day files of single symbols. */
const ADVICE = `no flag tells them apart, so leave the file out; ${SELECT_OTHERS}`;

/** Events of one symbol and day. A store is undefined if the symbol has no rows of its data type. */
export interface SymbolEvents {
  /** The symbol as in the cells of a grouped file. */
  name?: string;
  trades?: EventStore;
  book?: EventStore;
  bookEvents?: BookEvents;
}

/** The events of a day's trades and book, by symbol. */
export class DayEvents {
  readonly #space: EventSpace;
  readonly #mode: SnapshotMode;
  readonly #isGrouped: boolean;
  readonly #merge: MergeState | undefined;
  readonly #symbols = new Map<string, SymbolEvents>();
  /** Symbols by their texts in cells. */
  readonly #byName = new Map<string, SymbolEvents>();

  /**
   * @param isGrouped whether symbols are those of the rows; otherwise all rows have the symbol ''.
   * @param merge as in `EventStore`.
   */
  constructor(space: EventSpace, mode: SnapshotMode, isGrouped: boolean, merge?: MergeState) {
    this.#space = space;
    this.#mode = mode;
    this.#isGrouped = isGrouped;
    this.#merge = merge;
    if (!isGrouped) this.#symbols.set('', { ...this.#createTrades(), ...this.#createBook() });
  }

  /** By dataset symbol; symbols with only one of the data types, too. */
  get symbols(): ReadonlyMap<string, SymbolEvents> {
    return this.#symbols;
  }

  /** Adds rows of `trades`. @throws TickhaulError `corrupt`. */
  addTrades(batch: Batch): void {
    const ev = getTextCodes(batch, 'side', { buy: BUY_BIT, sell: SELL_BIT });
    for (let row = 0; row < batch.rows; row++) ev[row] = (ev[row] as number) | TRADE;
    const rows = readColumns(batch, ev);
    const symbols = this.#readSymbols(batch);
    for (let start = 0, end = 0; start < batch.rows; start = end) {
      end = findEnd(start, batch.rows, symbols.indices);
      const events = symbols.events[symbols.indices?.[start] ?? 0] as SymbolEvents;
      const store = events.trades ?? this.#addTradesTo(events);
      store.push(rows, start, end);
    }
  }

  /** Adds rows of `incremental_book_L2`. @throws TickhaulError `corrupt`, also for a side other than bid and ask. */
  addBook(batch: Batch): void {
    const ev = getTextCodes(batch, 'side', { bid: DEPTH | BUY_BIT, ask: DEPTH | SELL_BIT });
    const wrong = ev.indexOf(0);
    if (wrong >= 0) throw createBatchError(batch, 'side', wrong, 'is neither bid nor ask');
    const isSnapshot = getBooleans(batch, 'is_snapshot');
    const rows = readColumns(batch, ev);
    const symbols = this.#readSymbols(batch);
    for (let start = 0, end = 0, sameEnd = 0; start < batch.rows; start = end) {
      if (start === sameEnd) sameEnd = findChange(isSnapshot, start);
      end = findEnd(start, sameEnd, symbols.indices);
      const events = symbols.events[symbols.indices?.[start] ?? 0] as SymbolEvents;
      const book = events.bookEvents ?? this.#addBookTo(events);
      if (isSnapshot[start] === 0) book.addUpdates(rows, start, end);
      else for (let row = start; row < end; row++) book.addSnapshotRow(rows, row);
    }
  }

  /** Call it after the last row of `trades`. */
  endTrades(): void {
    for (const { trades } of this.#symbols.values()) trades?.end();
  }

  /** Call it after the last row of `incremental_book_L2`. */
  endBook(): void {
    for (const { book, bookEvents } of this.#symbols.values()) {
      bookEvents?.end();
      book?.end();
    }
  }

  #createTrades(): { readonly trades: EventStore } {
    return { trades: new EventStore(this.#space, this.#merge) };
  }

  #createBook(): { readonly book: EventStore; readonly bookEvents: BookEvents } {
    const book = new EventStore(this.#space, this.#merge);
    return { book, bookEvents: new BookEvents(book, this.#mode) };
  }

  #addTradesTo(events: SymbolEvents): EventStore {
    return Object.assign(events, this.#createTrades()).trades;
  }

  #addBookTo(events: SymbolEvents): BookEvents {
    return Object.assign(events, this.#createBook()).bookEvents;
  }

  /** The events of a batch's symbols, and for each row the position of its symbol there; undefined for the only symbol. */
  #readSymbols(batch: Batch): { readonly events: readonly SymbolEvents[]; readonly indices?: Int32Array } {
    if (!this.#isGrouped) return { events: [...this.#symbols.values()] };
    const { indices, texts } = getDictionary(batch, 'symbol');
    const events = texts.map((text) => {
      const known = this.#byName.get(text) ?? this.#addSymbol(text);
      this.#byName.set(text, known);
      return known;
    });
    return { events, indices };
  }

  /** @throws usage error for two symbols with the same dataset symbol, of which outputs have their names. */
  #addSymbol(name: string): SymbolEvents {
    const symbol = toDatasetSymbol(name);
    const { name: other } = this.#symbols.get(symbol) ?? {};
    if (other !== undefined) throw sameOutputError(symbol, other, { name, advise: () => ADVICE });
    const events: SymbolEvents = { name };
    this.#symbols.set(symbol, events);
    return events;
  }
}

/** The end of the rows from `start` on that have the same symbol, at most `rows`. */
function findEnd(start: number, rows: number, indices?: Int32Array): number {
  if (!indices) return rows;
  let end = start + 1;
  while (end < rows && indices[end] === indices[start]) end++;
  return end;
}

/** The end of the rows from `start` on that have the same flag. */
function findChange(flags: Uint8Array, start: number): number {
  const end = flags.indexOf(1 - (flags[start] as number), start);
  return end < 0 ? flags.length : end;
}

/** @param ev is part of the result. */
function readColumns(batch: Batch, ev: Uint8Array): EventColumns {
  assertFilled(batch, ['price', 'amount'], 'is empty, which hftbacktest cannot read');
  return {
    exch: getNumbers(batch, 'timestamp'),
    local: getNumbers(batch, 'local_timestamp'),
    px: getNumbers(batch, 'price'),
    qty: getNumbers(batch, 'amount'),
    ev,
  };
}

const FIRST_ROWS = 64;

/**
 * Turns rows of a book into events (docs/spec/hftbacktest-format.md#events). A snapshot is written when all of its
 * rows are there, first its bids, then its asks.
 */
class BookEvents {
  /** Events that no row of the file stands for. */
  clears = 0;
  /** Rows of snapshots that are left out. */
  leftOutRows = 0;
  readonly #store: EventStore;
  readonly #mode: SnapshotMode;
  /** Rows of the open snapshot, in the order of the file. */
  #snapshot = createEventColumns(0);
  #rows = 0;
  #hasUpdate = false;

  constructor(store: EventStore, mode: SnapshotMode) {
    this.#store = store;
    this.#mode = mode;
  }

  /** Adds update rows from `start` up to `end`; `ev` is `DEPTH` and the side. */
  addUpdates(rows: EventColumns, start: number, end: number): void {
    this.end();
    this.#hasUpdate = true;
    this.#store.push(rows, start, end);
  }

  /** Adds a row of a snapshot; `ev` is `DEPTH` and the side. */
  addSnapshotRow(rows: EventColumns, row: number): void {
    if (this.#rows > 0 && rows.local[row] !== this.#snapshot.local[0]) this.end();
    if (this.#rows === this.#snapshot.ev.length) {
      const grown = createEventColumns(Math.max(FIRST_ROWS, 2 * this.#rows));
      copyEvents(grown, this.#snapshot, 0, 0, this.#rows);
      this.#snapshot = grown;
    }
    copyEvent(this.#snapshot, this.#rows, rows, row);
    this.#snapshot.ev[this.#rows++] = SNAPSHOT | ((rows.ev[row] as number) & ~DEPTH);
  }

  /** Writes the open snapshot. Call it after the last row. */
  end(): void {
    if (this.#rows === 0) return;
    if (this.#mode === 'process' || (this.#mode === 'ignore-sod' && this.#hasUpdate)) {
      this.#writeSide(BUY_BIT);
      this.#writeSide(SELL_BIT);
    } else this.leftOutRows += this.#rows;
    this.#rows = 0;
  }

  #writeSide(side: number): void {
    const levels = createEventColumns(1 + this.#rows);
    let count = 1;
    for (let row = 0; row < this.#rows; row++)
      if (this.#snapshot.ev[row] === (SNAPSHOT | side)) copyEvent(levels, count++, this.#snapshot, row);
    if (count === 1) return;
    // It clears the side up to the last level.
    copyEvent(levels, 0, levels, 1);
    levels.px[0] = levels.px[count - 1] as number;
    levels.qty[0] = 0;
    levels.ev[0] = CLEAR | side;
    this.clears++;
    this.#store.push(levels, 0, count);
  }
}

/** Which snapshots of a book are exported: all, all but those before the first update, none. */
export type SnapshotMode = 'process' | 'ignore-sod' | 'ignore';
