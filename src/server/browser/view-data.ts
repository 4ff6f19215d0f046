/** Number of trades shown. */
export const MAX_TRADES = 20;
const MAX_COLUMNS = 800;
const INITIAL_COLUMN_WIDTH_MS = 100;

export interface ViewedTrade {
  /** Local time, ISO 8601. */
  readonly localTimestamp: string;
  readonly price: number;
  readonly amount: number;
  readonly side: string;
}

export interface ViewedBook {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Displayed data of a replay, in limited memory. */
export class ViewData {
  /** The latest trades, latest first. */
  readonly trades: ViewedTrade[] = [];
  readonly prices = new PriceColumns(MAX_COLUMNS, INITIAL_COLUMN_WIDTH_MS);
  readonly #priceType: string;
  book: ViewedBook | undefined;
  ticker: ViewedMessage | undefined;

  /** @param priceType type of the messages with the chart's prices. */
  constructor(priceType: string) {
    this.#priceType = priceType;
  }

  /** @param time local time in milliseconds since the epoch. */
  add(message: ViewedMessage, time: number): void {
    const { type, localTimestamp, price = 0, amount = 0, side = '', bids = [], asks = [] } = message;
    if (type === 'trade') {
      this.trades.unshift({ localTimestamp, price, amount, side });
      this.trades.length = Math.min(this.trades.length, MAX_TRADES);
    }
    if (type === 'book_snapshot') this.book = { bids, asks };
    if (type === 'derivative_ticker') this.ticker = message;
    const chartPrice = type === this.#priceType ? readPrice(message) : undefined;
    if (chartPrice !== undefined) this.prices.add(time, chartPrice);
  }
}

/** The price of a message; for a book the middle of best bid and ask. Undefined if the message has no price. */
export function readPrice({ price, bids, asks, lastPrice, markPrice }: ViewedMessage): number | undefined {
  const [bid, ask] = [bids?.[0]?.price, asks?.[0]?.price];
  const middle = bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
  return price ?? middle ?? lastPrice ?? markPrice;
}

/**
 * Prices over time in a limited number of columns of equal width. At the limit the width doubles and neighbouring
 * columns are merged, so that the whole replay stays visible. Equal indexes of the lists belong together.
 */
export class PriceColumns {
  /** Starts of the columns, in multiples of the width since the epoch. */
  #slots: number[] = [];
  #highs: number[] = [];
  #lows: number[] = [];
  #lasts: number[] = [];
  #width: number;
  readonly #maxColumns: number;

  /** @param width initial width of a column in milliseconds. */
  constructor(maxColumns: number, width: number) {
    this.#maxColumns = maxColumns;
    this.#width = width;
  }

  /** Width of a column in milliseconds. */
  get width(): number {
    return this.#width;
  }

  get highs(): readonly number[] {
    return this.#highs;
  }

  get lows(): readonly number[] {
    return this.#lows;
  }

  /** The latest price of each column. */
  get lasts(): readonly number[] {
    return this.#lasts;
  }

  /** Starts of the columns in seconds since the epoch. */
  seconds(): readonly number[] {
    return this.#slots.map((slot) => (slot * this.#width) / 1000);
  }

  /** @param time milliseconds; a time before the last column counts as in it. */
  add(time: number, price: number): void {
    const slot = Math.floor(time / this.#width);
    const last = this.#slots.length - 1;
    if (slot <= (this.#slots[last] ?? Number.NEGATIVE_INFINITY)) this.#mergeInto(last, price, price, price);
    else if (this.#slots.length < this.#maxColumns) this.#append(slot, price, price, price);
    else {
      this.#widen();
      this.add(time, price);
    }
  }

  #widen(): void {
    const [slots, highs, lows, lasts] = [this.#slots, this.#highs, this.#lows, this.#lasts];
    this.#width *= 2;
    [this.#slots, this.#highs, this.#lows, this.#lasts] = [[], [], [], []];
    for (const [at, narrow] of slots.entries()) {
      const slot = Math.floor(narrow / 2);
      const column = [highs[at] ?? 0, lows[at] ?? 0, lasts[at] ?? 0] as const;
      const last = this.#slots.length - 1;
      if (this.#slots[last] === slot) this.#mergeInto(last, ...column);
      else this.#append(slot, ...column);
    }
  }

  #mergeInto(at: number, high: number, low: number, last: number): void {
    this.#highs[at] = Math.max(this.#highs[at] ?? high, high);
    this.#lows[at] = Math.min(this.#lows[at] ?? low, low);
    this.#lasts[at] = last;
  }

  #append(slot: number, high: number, low: number, last: number): void {
    this.#slots.push(slot);
    this.#highs.push(high);
    this.#lows.push(low);
    this.#lasts.push(last);
  }
}

/** Fields of normalized messages that the viewer uses; which of them exist depends on the type. */
export interface ViewedMessage extends Readonly<Partial<Record<TickerField, number>>> {
  readonly type: string;
  readonly localTimestamp: string;
  readonly price?: number;
  readonly amount?: number;
  readonly side?: string;
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
}

/** Displayed fields of a derivative ticker. */
export type TickerField = 'lastPrice' | 'markPrice' | 'indexPrice' | 'fundingRate' | 'openInterest';

/** A level of a book; both fields are absent if the level does not exist. */
export interface Level {
  readonly price?: number;
  readonly amount?: number;
}

/** Parses a line. `time` is its local time in milliseconds since the epoch. @throws Error if it is not a message. */
export function parseMessageLine(line: string): { readonly time: number; readonly message: ViewedMessage } {
  const message = JSON.parse(line) as ViewedMessage;
  const time = Date.parse(message.localTimestamp);
  if (Number.isNaN(time)) throw new Error(`a line without a local time: ${line.slice(0, 80)}`);
  return { time, message };
}

const MAX_DECIMALS = 10;
const MAX_DIGITS = 10;

/** Number of decimals needed to show all values with the same precision. */
export function countDecimals(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((max, value) => Math.max(max, countOwnDecimals(value)), 0);
}

/** Formats a number with the given decimals; a dash for undefined. */
export function formatFixed(value: number | undefined, decimals: number): string {
  return value === undefined ? '–' : value.toFixed(decimals);
}

/** Formats a number in its shortest form with at most ten significant digits; a dash for undefined. */
export function formatShort(value: number | undefined): string {
  return value === undefined ? '–' : String(Number(value.toPrecision(MAX_DIGITS)));
}

function countOwnDecimals(value = 0): number {
  // toFixed avoids exponents and rounding errors of floating point numbers.
  const [, decimals = ''] = value.toFixed(MAX_DECIMALS).split('.');
  return decimals.replace(/0+$/, '').length;
}
