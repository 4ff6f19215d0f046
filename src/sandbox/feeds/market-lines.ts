import type { Day } from '../../dataset/day.js';
import { createNativeWriter } from '../dialects/native-writer.js';
import type { FeedEvent } from '../dialects/feed-event.js';
import type { MarketEvent } from '../market/market-event.js';
import { createSyntheticInstrument } from '../market/synthetic-instrument.js';
import { simulateOptionsChain } from '../market/simulate-options-chain.js';
import { simulateMarket } from '../market/simulate-market.js';
import type { MarketSize } from '../market/market-size.js';
import { createFeedEvents } from './feed-events.js';
import type { FeedMarket } from './feed-markets.js';
import { createFeedLineWriter, type FeedLine } from './feed-line.js';
import { toSummaryEvents } from './summary-events.js';
import { WholeBook } from './whole-book.js';

/**
 * A market's day as its exchange sends it: the same story as that of its day files. A connection that is made again
 * begins with the whole book; `breaks` are local times at which there is one that the story doesn't know.
 */
export function* generateMarketLines(
  market: FeedMarket,
  day: Day,
  size: MarketSize,
  breaks: readonly number[],
): Generator<FeedLine, undefined> {
  const { exchange, symbol, eventTypes } = market;
  const instrument = createSyntheticInstrument(exchange, symbol, size.seed, day);
  const write = createFeedLineWriter();
  let writer = createNativeWriter(exchange);
  const lines = (event: FeedEvent): readonly FeedLine[] =>
    (writer?.write(event) ?? []).map(({ channel, symbol, localTimestamp, message }) => ({
      localTimestamp,
      channel,
      symbol,
      text: write(localTimestamp, JSON.stringify(message)),
    }));
  if (eventTypes.has('option_summary')) {
    for (const event of simulateOptionsChain(instrument, day, size)) yield* toSummaryEvents(event).flatMap(lines);
    return undefined;
  }
  const feedEvents = createFeedEvents(instrument, eventTypes);
  for (const event of insertDisconnects(simulateMarket(instrument, day, size), breaks)) {
    if (event.kind === 'disconnect') writer = createNativeWriter(exchange);
    yield* feedEvents(event).flatMap(lines);
  }
  return undefined;
}

/** The story with more breaks: behind each the book comes whole, where the story doesn't send it anyway. */
function* insertDisconnects(events: Iterable<MarketEvent>, breaks: readonly number[]): Generator<MarketEvent> {
  const book = new WholeBook();
  let next = 0;
  let timestamp = 0;
  for (const event of events) {
    for (; (breaks[next] ?? Number.POSITIVE_INFINITY) <= event.localTimestamp; next++) {
      const localTimestamp = breaks[next] ?? 0;
      yield { kind: 'disconnect', localTimestamp };
      if (event.kind === 'book_change' && event.isSnapshot) continue;
      yield { kind: 'book_change', timestamp, localTimestamp, isSnapshot: true, levels: book.levels() };
    }
    if (event.kind === 'book_change' && breaks.length > 0) book.apply(event.isSnapshot, event.levels);
    if (event.kind !== 'disconnect') ({ timestamp } = event);
    yield event;
  }
}
