import type { Level, ViewedMessage } from './messages.js';
import { PriceColumns } from './price-columns.js';
import { Ring } from './ring.js';

/** Trades that are kept. */
const TRADES = 20;
/** Columns of the chart, and milliseconds of one at first. */
const COLUMNS = { most: 800, width: 100 };

export interface WatchedTrade {
  /** Local time, ISO 8601. */
  readonly at: string;
  readonly price: number;
  readonly amount: number;
  readonly side: string;
}

export interface WatchedBook {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** What of a replay is seen, in bounded memory. */
export class Watched {
  readonly trades = new Ring<WatchedTrade>(TRADES);
  readonly prices = new PriceColumns(COLUMNS.most, COLUMNS.width);
  readonly #priceType: string;
  book: WatchedBook | undefined;
  ticker: ViewedMessage | undefined;

  /** @param priceType the type of messages whose prices the chart has. */
  constructor(priceType: string) {
    this.#priceType = priceType;
  }

  /** @param time local, milliseconds since the epoch. */
  take(message: ViewedMessage, time: number): void {
    const { type, price = 0, amount = 0, side = '', bids = [], asks = [] } = message;
    if (type === 'trade') this.trades.push({ at: message.localTimestamp, price, amount, side });
    if (type === 'book_snapshot') this.book = { bids, asks };
    if (type === 'derivative_ticker') this.ticker = message;
    const shown = type === this.#priceType ? priceOf(message) : undefined;
    if (shown !== undefined) this.prices.add(time, shown);
  }
}

/** The price that a message tells: of a book the middle; undefined where it tells none. */
export function priceOf({ price, bids, asks, lastPrice, markPrice }: ViewedMessage): number | undefined {
  const [bid, ask] = [bids?.[0]?.price, asks?.[0]?.price];
  const middle = bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
  return price ?? middle ?? lastPrice ?? markPrice;
}
