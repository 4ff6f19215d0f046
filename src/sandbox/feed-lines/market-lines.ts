import type { Day } from '../../day-files/day.js';
import type { PriceLevel } from '../../market/messages.js';
import { createNativeWriter } from '../native/native-writer.js';
import { createBookStateTracker } from '../simulation/book-state-tracker.js';
import type { EventOf, MarketEvent, MarketSize } from '../simulation/market-event.js';
import { simulateMarket } from '../simulation/simulate-market.js';
import { simulateOptionsChain } from '../simulation/simulate-options-chain.js';
import { createSyntheticInstrument, type SyntheticInstrument } from '../simulation/synthetic-instrument.js';
import { createFeedLineWriter, type FeedLine, type FeedMarket } from './feed-markets.js';

/**
 * Generates the lines of a market's day as its exchange sends them, from the same events as its day files. A new
 * connection starts with the whole book.
 * @param disconnects local times of disconnects that are not part of the simulation.
 */
export function* generateMarketLines(
  market: FeedMarket,
  day: Day,
  size: MarketSize,
  disconnects: readonly number[],
): Generator<FeedLine, undefined> {
  const { exchange, symbol, eventTypes } = market;
  const instrument = createSyntheticInstrument(exchange, symbol, size.seed, day);
  const format = createFeedLineWriter();
  let writer = createNativeWriter(exchange);
  const events = eventTypes.has('option_summary')
    ? simulateOptionsChain(instrument, day, size)
    : insertBestPrices(insertDisconnects(simulateMarket(instrument, day, size), disconnects), instrument);
  for (const event of events) {
    if (event.type === 'disconnect') writer = createNativeWriter(exchange);
    else if (eventTypes.has(event.type)) {
      for (const { channel, symbol, localTimestamp, message } of writer?.write(event) ?? [])
        yield { localTimestamp, channel, symbol, text: format(localTimestamp, JSON.stringify(message)) };
    }
  }
  return undefined;
}

/** Inserts the best prices after each change of them. */
function* insertBestPrices(
  events: Iterable<MarketEvent>,
  instrument: SyntheticInstrument,
): Generator<MarketEvent> {
  let best: EventOf<'book_ticker'> | undefined;
  const trackBook = createBookStateTracker(instrument, 1, ({ asks, bids, timestamp, localTimestamp }) => {
    const [askPrice, askAmount] = [asks.prices[0], asks.amounts[0]];
    const [bidPrice, bidAmount] = [bids.prices[0], bids.amounts[0]];
    const prices = { askAmount, askPrice, bidPrice, bidAmount };
    best = { type: 'book_ticker', symbol: instrument.symbol, ...prices, timestamp, localTimestamp };
  });
  for (const event of events) {
    yield event;
    if (event.type !== 'book_change') continue;
    best = undefined;
    trackBook(event);
    if (best !== undefined) yield best;
  }
}

/** Inserts disconnects into the events. A snapshot of the book follows each, unless the next event is one. */
function* insertDisconnects(
  events: Iterable<MarketEvent>,
  disconnects: readonly number[],
): Generator<MarketEvent> {
  const book = new WholeBook();
  let next = 0;
  let symbol = '';
  let timestamp = 0;
  for (const event of events) {
    for (; (disconnects[next] ?? Number.POSITIVE_INFINITY) <= event.localTimestamp; next++) {
      const localTimestamp = disconnects[next] ?? 0;
      yield { type: 'disconnect', localTimestamp };
      if (event.type === 'book_change' && event.isSnapshot) continue;
      yield { type: 'book_change', symbol, timestamp, localTimestamp, isSnapshot: true, ...book.levels() };
    }
    if (event.type === 'book_change' && disconnects.length > 0) book.apply(event);
    if (event.type !== 'disconnect') ({ symbol, timestamp } = event);
    yield event;
  }
}

/** The current book, to send it as a snapshot. */
class WholeBook {
  readonly #asks = new Map<number, number>();
  readonly #bids = new Map<number, number>();

  apply({ isSnapshot, asks, bids }: EventOf<'book_change'>): void {
    if (isSnapshot) {
      this.#asks.clear();
      this.#bids.clear();
    }
    applyLevels(this.#asks, asks);
    applyLevels(this.#bids, bids);
  }

  /** Best first. */
  levels(): Pick<EventOf<'book_change'>, 'asks' | 'bids'> {
    return {
      asks: listLevels(this.#asks).sort((a, b) => a.price - b.price),
      bids: listLevels(this.#bids).sort((a, b) => b.price - a.price),
    };
  }
}

function applyLevels(side: Map<number, number>, levels: readonly PriceLevel[]): void {
  for (const { price, amount } of levels) {
    if (amount === 0) side.delete(price);
    else side.set(price, amount);
  }
}

function listLevels(side: ReadonlyMap<number, number>): PriceLevel[] {
  return [...side].map(([price, amount]) => ({ price, amount }));
}
