import type { PriceLevel } from '../../market/messages.js';
import type { EventOf, FeedEvent } from '../dialects/feed-event.js';
import { createBookStateTracker } from '../market/book-state-tracker.js';
import type { Fill, MarketEvent, TickerEvent } from '../market/market-event.js';
import type { LevelChange } from '../market/synthetic-book.js';
import type { SyntheticInstrument } from '../market/synthetic-instrument.js';
import { formatTickerValues } from '../market/synthetic-ticker.js';
import type { EventTypes } from './feed-markets.js';

/** Converts simulated events to feed events: a trade for each fill, and the best prices after each change of them. */
export function createFeedEvents(
  instrument: SyntheticInstrument,
  eventTypes: EventTypes,
): (event: MarketEvent) => readonly FeedEvent[] {
  const { symbol, ticksPerUnit, lotsPerUnit } = instrument;
  let best: EventOf<'book_ticker'> | undefined;
  const trackBook = createBookStateTracker(instrument, 1, ({ asks, bids, timestamp, localTimestamp }) => {
    const [askPrice, askAmount] = [asks.prices[0], asks.amounts[0]];
    const [bidPrice, bidAmount] = [bids.prices[0], bids.amounts[0]];
    best = {
      type: 'book_ticker',
      symbol,
      askAmount,
      askPrice,
      bidPrice,
      bidAmount,
      timestamp,
      localTimestamp,
    };
  });
  const tradeValues = (
    { ticks }: { readonly ticks: number },
    { id, lots }: Fill,
  ): Pick<EventOf<'trade'>, 'id' | 'price' | 'amount'> => ({
    id: id === '' ? undefined : id,
    price: ticks / ticksPerUnit,
    amount: lots / lotsPerUnit,
  });
  const events = (event: MarketEvent): readonly FeedEvent[] => {
    if (event.kind === 'disconnect') return [];
    const { timestamp, localTimestamp } = event;
    const times = { symbol, timestamp, localTimestamp };
    switch (event.kind) {
      case 'trades':
        return event.fills.map((fill) => ({
          type: 'trade',
          ...times,
          side: event.side,
          ...tradeValues(event, fill),
        }));
      case 'liquidation':
        return [{ type: 'liquidation', ...times, side: event.side, ...tradeValues(event, event) }];
      case 'ticker':
        return [{ type: 'derivative_ticker', ...times, ...tickerValues(instrument, event) }];
      case 'book_change': {
        best = undefined;
        trackBook(event);
        const change = { ...times, isSnapshot: event.isSnapshot, ...splitSides(instrument, event.levels) };
        return [{ type: 'book_change', ...change }, ...(best === undefined ? [] : [best])];
      }
    }
  };
  return (event) => events(event).filter(({ type }) => eventTypes.has(type));
}

/** The levels as exchanges send them: bids and asks separately, each in order. */
function splitSides(
  { ticksPerUnit, lotsPerUnit }: SyntheticInstrument,
  levels: readonly LevelChange[],
): { readonly bids: readonly PriceLevel[]; readonly asks: readonly PriceLevel[] } {
  const side = (isAsk: boolean): readonly PriceLevel[] =>
    levels
      .filter((level) => level.isAsk === isAsk)
      .map(({ ticks, lots }) => ({ price: ticks / ticksPerUnit, amount: lots / lotsPerUnit }));
  return { bids: side(false), asks: side(true) };
}

function tickerValues(
  { ticksPerUnit }: SyntheticInstrument,
  event: TickerEvent,
): Omit<EventOf<'derivative_ticker'>, 'type' | 'symbol' | 'timestamp' | 'localTimestamp'> {
  const { fundingTimestamp, openInterest, lastTicks, indexTicks } = event;
  const { fundingRate, predictedFundingRate, markPrice } = formatTickerValues(event);
  return {
    lastPrice: lastTicks === undefined ? undefined : lastTicks / ticksPerUnit,
    openInterest,
    fundingRate: Number(fundingRate),
    fundingTimestamp,
    predictedFundingRate: predictedFundingRate === undefined ? undefined : Number(predictedFundingRate),
    indexPrice: indexTicks / ticksPerUnit,
    markPrice: Number(markPrice),
  };
}
