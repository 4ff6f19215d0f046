import fc from 'fast-check';
import type { EventOf, FeedEvent } from '../../../src/sandbox/simulation/market-event.js';

/** Properties of an exchange's events, so that its messages represent them without loss. */
export interface Traits {
  readonly symbol: string;
  /** Resolution of the exchange's times, in microseconds. */
  readonly tick: 1 | 1000;
  readonly ids: 'text' | 'number';
  readonly liquidationIds: boolean;
  readonly unknownSides: boolean;
  /** Whether liquidations have the local time. */
  readonly timelessLiquidations: boolean;
  readonly snapshotsOnce: boolean;
  /** Ticker values that one message contains, by whether the message has a time; the first one is sent first. */
  readonly tickerGroups: readonly { readonly keys: readonly TickerKey[]; readonly timed: boolean }[];
}

export type TickerKey =
  | 'lastPrice'
  | 'openInterest'
  | 'fundingRate'
  | 'fundingTimestamp'
  | 'predictedFundingRate'
  | 'indexPrice'
  | 'markPrice';

/** 2024-03-05T00:00:00Z, in microseconds. */
const START = Date.UTC(2024, 2, 5) * 1000;

const price = fc.integer({ min: 1, max: 1e7 }).map((n) => n / 100);
const amount = fc.integer({ min: 1, max: 1e9 }).map((n) => n / 1e6);

const level = (mayBeGone: boolean): fc.Arbitrary<{ price: number; amount: number }> =>
  fc.record(
    { price, amount: mayBeGone ? fc.oneof(amount, fc.constant(0)) : amount },
    { noNullPrototype: true },
  );

interface Times {
  readonly timestamp: number;
  readonly localTimestamp: number;
}

/** Times of consecutive events; the local ones are a little later. */
function times({ tick }: Traits, count: number): fc.Arbitrary<readonly Times[]> {
  const step = fc.record({ wait: fc.integer({ min: 1, max: 5000 }), late: fc.integer({ min: 1, max: 900 }) });
  return fc.array(step, { minLength: count, maxLength: count }).map((steps) => {
    let timestamp = START;
    return steps.map(({ wait, late }) => {
      timestamp += wait * tick;
      return { timestamp, localTimestamp: timestamp + late };
    });
  });
}

/** Consecutive events, from parts without times. */
function withTimes<Part extends object>(
  traits: Traits,
  parts: fc.Arbitrary<readonly Part[]>,
): fc.Arbitrary<readonly (Part & Times & { readonly symbol: string })[]> {
  return parts.chain((made) =>
    times(traits, made.length).map((stamps) =>
      made.map((part, i) => ({ ...part, symbol: traits.symbol, ...(stamps[i] as Times) })),
    ),
  );
}

function trades<Type extends 'trade' | 'liquidation'>(
  type: Type,
  traits: Traits,
): fc.Arbitrary<readonly FeedEvent[]> {
  const id = traits.ids === 'number' ? fc.integer({ min: 1, max: 1e12 }).map(String) : fc.uuid();
  const sides = ['buy', 'sell', ...(type === 'trade' && traits.unknownSides ? ['unknown'] : [])] as const;
  const part = fc.record({
    type: fc.constant(type),
    id: type === 'trade' || traits.liquidationIds ? id : fc.constant(undefined),
    price,
    amount,
    side: fc.constantFrom(...sides),
  });
  return withTimes(traits, fc.array(part, { minLength: 1, maxLength: 8 })).map((events) =>
    events.map((event) =>
      type === 'liquidation' && traits.timelessLiquidations
        ? { ...event, timestamp: event.localTimestamp }
        : event,
    ),
  ) as fc.Arbitrary<readonly FeedEvent[]>;
}

function bookChanges(traits: Traits): fc.Arbitrary<readonly FeedEvent[]> {
  const side = (gone: boolean, minLength: number): fc.Arbitrary<{ price: number; amount: number }[]> =>
    fc.uniqueArray(level(gone), {
      selector: (level) => level.price,
      minLength,
      maxLength: 6,
    });
  const change = (isSnapshot: boolean): fc.Arbitrary<Omit<EventOf<'book_change'>, keyof Times | 'symbol'>> =>
    fc.record({
      type: fc.constant('book_change' as const),
      isSnapshot: fc.constant(isSnapshot),
      bids: side(!isSnapshot, 1),
      asks: side(!isSnapshot, 0),
    });
  const later = fc.array(
    fc.boolean().chain((isSnapshot) => change(isSnapshot && !traits.snapshotsOnce)),
    { maxLength: 8 },
  );
  return withTimes(
    traits,
    fc.tuple(change(true), later).map(([first, rest]) => [first, ...rest]),
  );
}

/** Each changes the values of one message; a message without a time has that of the one before. */
function derivativeTickers(traits: Traits): fc.Arbitrary<readonly FeedEvent[]> {
  const { tickerGroups } = traits;
  const value = (key: TickerKey): fc.Arbitrary<number> =>
    key === 'fundingTimestamp'
      ? fc.integer({ min: 1, max: 1000 }).map((hours) => START + hours * 3_600_000_000)
      : price;
  const group = (index: number): fc.Arbitrary<{ index: number; values: Record<string, number> }> => {
    const keys = tickerGroups[index]?.keys ?? [];
    const made = Object.fromEntries(keys.map((key) => [key, value(key)]));
    return fc.record({ index: fc.constant(index), values: fc.record(made) });
  };
  const later = fc.array(fc.integer({ min: 0, max: tickerGroups.length - 1 }).chain(group), { maxLength: 8 });
  const steps = fc.tuple(group(0), later).map(([first, rest]) => [first, ...rest]);
  return withTimes(traits, steps).map((made) => {
    const events: FeedEvent[] = [];
    let known: Record<string, number> = {};
    let timestamp = 0;
    for (const { index, values, symbol, ...stamp } of made) {
      if (Object.entries(values).every(([key, next]) => known[key] === next)) continue;
      known = { ...known, ...values };
      if (tickerGroups[index]?.timed) timestamp = stamp.timestamp;
      events.push({ type: 'derivative_ticker', symbol, ...known, ...stamp, timestamp });
    }
    return events;
  });
}

function bookTickers(traits: Traits): fc.Arbitrary<readonly FeedEvent[]> {
  const side = fc.option(fc.tuple(price, amount), { nil: [undefined, undefined] as const, freq: 4 });
  const part = fc.tuple(side, side).map(([[bidPrice, bidAmount], [askPrice, askAmount]]) => ({
    type: 'book_ticker' as const,
    askAmount,
    askPrice,
    bidPrice,
    bidAmount,
  }));
  return withTimes(traits, fc.array(part, { minLength: 1, maxLength: 8 }));
}

function optionSummaries(traits: Traits): fc.Arbitrary<readonly FeedEvent[]> {
  const maybe = fc.option(price, { nil: undefined, freq: 4 });
  const part = fc.record({
    type: fc.constant('option_summary' as const),
    optionType: fc.constant('call' as const),
    strikePrice: fc.constant(60_000),
    expirationDate: fc.constant(Date.UTC(2024, 5, 28, 8) * 1000),
    bestBidPrice: maybe,
    bestBidAmount: maybe,
    bestBidIV: maybe,
    bestAskPrice: maybe,
    bestAskAmount: maybe,
    bestAskIV: maybe,
    lastPrice: maybe,
    openInterest: price,
    markPrice: price,
    markIV: price,
    delta: price,
    gamma: price,
    vega: price,
    theta: price,
    rho: price,
    underlyingPrice: price,
    underlyingIndex: fc.constant('BTC-28JUN24'),
  });
  return withTimes(
    { ...traits, symbol: 'BTC-28JUN24-60000-C' },
    fc.array(part, { minLength: 1, maxLength: 8 }),
  );
}

/** Events of one type and symbol that a connection may send, from its start on. */
export function arbitraryEvents(type: FeedEvent['type'], traits: Traits): fc.Arbitrary<readonly FeedEvent[]> {
  switch (type) {
    case 'trade':
    case 'liquidation':
      return trades(type, traits);
    case 'book_change':
      return bookChanges(traits);
    case 'derivative_ticker':
      return derivativeTickers(traits);
    case 'book_ticker':
      return bookTickers(traits);
    case 'option_summary':
      return optionSummaries(traits);
  }
}
