import type { TickhaulError } from '../../base/errors.js';
import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import type { Batch, TextColumn } from '../../format/batch.js';
import { createCellError } from '../../format/csv/csv-cells.js';
import {
  getBooleans,
  getColumn,
  getNumbers,
  getTextBytes,
  getTextCodes,
} from '../../market/batch-columns.js';
import { toDictionary } from '../../market/lines/line-parts.js';
import { SELECT_OTHERS, sameOutputError } from '../export-target.js';
import { BookEvents } from './book-events.js';
import type { MergeState } from './chunk-flow.js';
import { BUY_BIT, DEPTH, SELL_BIT, TRADE } from './event-codes.js';
import type { EventColumns } from './event-columns.js';
import type { EventSpace } from './event-space.js';
import { EventStore } from './event-store.js';
import type { SnapshotMode } from './hftbacktest-settings.js';

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
    if (wrong >= 0) throw createRowError(batch, wrong, 'side', 'is neither bid nor ask');
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
    const { indices, texts } = toDictionary(getColumn(batch, 'symbol') as TextColumn);
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
  for (const name of ['price', 'amount']) {
    const row = getColumn(batch, name).nulls?.indexOf(1) ?? -1;
    if (row >= 0) throw createRowError(batch, row, name, 'is empty, which hftbacktest cannot read');
  }
  return {
    exch: getNumbers(batch, 'timestamp'),
    local: getNumbers(batch, 'local_timestamp'),
    px: getNumbers(batch, 'price'),
    qty: getNumbers(batch, 'amount'),
    ev,
  };
}

function createRowError(batch: Batch, row: number, column: string, problem: string): TickhaulError {
  const { source = 'rows', line = 0 } = batch.firstLine ?? {};
  const cell = column === 'side' ? getTextBytes(batch, column, row) : new Uint8Array();
  return createCellError({ source, line: line + row }, column, cell, problem);
}
