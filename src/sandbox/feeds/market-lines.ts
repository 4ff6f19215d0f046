import type { Day } from '../../day-files/day.js';
import type { FeedEvent } from '../dialects/feed-event.js';
import { createNativeWriter } from '../dialects/native-writer.js';
import type { MarketEvent } from '../market/market-event.js';
import type { MarketSize } from '../market/market-size.js';
import { simulateMarket } from '../market/simulate-market.js';
import { simulateOptionsChain } from '../market/simulate-options-chain.js';
import type { BookLevel, LevelChange } from '../market/synthetic-book.js';
import { createSyntheticInstrument } from '../market/synthetic-instrument.js';
import { createFeedEvents } from './feed-events.js';
import { createFeedLineWriter, type FeedLine } from './feed-line.js';
import type { FeedMarket } from './feed-markets.js';
import { toSummaryEvents } from './summary-events.js';

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
  const write = createFeedLineWriter();
  let writer = createNativeWriter(exchange);
  const writeLines = (event: FeedEvent): readonly FeedLine[] =>
    (writer?.write(event) ?? []).map(({ channel, symbol, localTimestamp, message }) => ({
      localTimestamp,
      channel,
      symbol,
      text: write(localTimestamp, JSON.stringify(message)),
    }));
  if (eventTypes.has('option_summary')) {
    for (const event of simulateOptionsChain(instrument, day, size))
      yield* toSummaryEvents(event).flatMap(writeLines);
    return undefined;
  }
  const feedEvents = createFeedEvents(instrument, eventTypes);
  for (const event of insertDisconnects(simulateMarket(instrument, day, size), disconnects)) {
    if (event.kind === 'disconnect') writer = createNativeWriter(exchange);
    yield* feedEvents(event).flatMap(writeLines);
  }
  return undefined;
}

/** Inserts disconnects into the events. A snapshot of the book follows each, unless the next event is one. */
function* insertDisconnects(
  events: Iterable<MarketEvent>,
  disconnects: readonly number[],
): Generator<MarketEvent> {
  const book = new WholeBook();
  let next = 0;
  let timestamp = 0;
  for (const event of events) {
    for (; (disconnects[next] ?? Number.POSITIVE_INFINITY) <= event.localTimestamp; next++) {
      const localTimestamp = disconnects[next] ?? 0;
      yield { kind: 'disconnect', localTimestamp };
      if (event.kind === 'book_change' && event.isSnapshot) continue;
      yield { kind: 'book_change', timestamp, localTimestamp, isSnapshot: true, levels: book.levels() };
    }
    if (event.kind === 'book_change' && disconnects.length > 0) book.apply(event.isSnapshot, event.levels);
    if (event.kind !== 'disconnect') ({ timestamp } = event);
    yield event;
  }
}

/** The current book, to send it as a snapshot. */
class WholeBook {
  readonly #asks = new Map<number, BookLevel>();
  readonly #bids = new Map<number, BookLevel>();

  apply(isSnapshot: boolean, levels: readonly LevelChange[]): void {
    if (isSnapshot) {
      this.#asks.clear();
      this.#bids.clear();
    }
    for (const { isAsk, ticks, lots } of levels) {
      const side = isAsk ? this.#asks : this.#bids;
      if (lots === 0) side.delete(ticks);
      else side.set(ticks, { ticks, lots });
    }
  }

  /** Asks, then bids, best first. */
  levels(): readonly LevelChange[] {
    const asks = [...this.#asks.values()].sort((a, b) => a.ticks - b.ticks);
    const bids = [...this.#bids.values()].sort((a, b) => b.ticks - a.ticks);
    return [
      ...asks.map((level) => ({ isAsk: true, ...level })),
      ...bids.map((level) => ({ isAsk: false, ...level })),
    ];
  }
}
