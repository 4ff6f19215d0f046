import type { Level, ViewedMessage } from './messages.js';
import { PriceColumns } from './price-columns.js';
import { RingBuffer } from './ring-buffer.js';

/** Number of trades shown. */
const MAX_TRADES = 20;
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
  readonly trades = new RingBuffer<ViewedTrade>(MAX_TRADES);
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
    if (type === 'trade') this.trades.push({ localTimestamp, price, amount, side });
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
