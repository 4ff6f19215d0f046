import type { PriceLevel } from '../../market/messages.js';
import type { EventOf } from '../simulation/market-event.js';
import { seededRandom } from '../simulation/seeded-random.js';
import { formatIsoMs, type MessageWriters, type NativeMessage } from './message-writers.js';

type Side = 'Buy' | 'Sell';

/** Number of level ids per symbol. */
const ID_RANGE = 100_000_000;

/**
 * BitMEX (bitmex.com, WebSocket API): each topic is a table of rows, with an action. A book change with inserted,
 * updated and deleted levels becomes one message per action. Liquidations have no exchange time; times are whole
 * milliseconds.
 */
export function createBitmexWriters(): MessageWriters {
  const getLevelId = createLevelIds();
  const tickers = new Set<string>();
  /** Prices of existing levels, by symbol and side. */
  const books = new Map<string, Set<number>>();
  const getLevels = (symbol: string, side: Side): Set<number> => {
    const key = `${symbol} ${side}`;
    const levels = books.get(key) ?? new Set();
    books.set(key, levels);
    return levels;
  };

  function rows(
    event: EventOf<'book_change'>,
    isIncluded: (side: Side, level: PriceLevel) => boolean,
  ): object[] {
    const { symbol, timestamp, bids, asks } = event;
    const side = (name: Side, levels: readonly PriceLevel[]): object[] =>
      levels
        .filter((level) => isIncluded(name, level))
        .map(({ price, amount }) => ({
          symbol,
          id: getLevelId(symbol, price),
          side: name,
          ...(amount === 0 ? {} : { size: amount }),
          price,
          timestamp: formatIsoMs(timestamp),
        }));
    return [...side('Buy', bids), ...side('Sell', asks)];
  }

  function bookChange(event: EventOf<'book_change'>): readonly NativeMessage[] {
    const { symbol, isSnapshot } = event;
    if (isSnapshot) {
      getLevels(symbol, 'Buy').clear();
      getLevels(symbol, 'Sell').clear();
    }
    const exists = (side: Side, { price }: PriceLevel): boolean => getLevels(symbol, side).has(price);
    const parts: readonly (readonly [string, object[]])[] = isSnapshot
      ? [['partial', rows(event, () => true)]]
      : [
          ['delete', rows(event, (_, { amount }) => amount === 0)],
          ['update', rows(event, (side, level) => level.amount > 0 && exists(side, level))],
          ['insert', rows(event, (side, level) => level.amount > 0 && !exists(side, level))],
        ];
    for (const [side, levels] of [['Buy', event.bids] as const, ['Sell', event.asks] as const]) {
      for (const { price, amount } of levels) {
        if (amount === 0) getLevels(symbol, side).delete(price);
        else getLevels(symbol, side).add(price);
      }
    }
    return parts
      .filter(([action, data]) => data.length > 0 || action === 'partial')
      .map(([action, data]) => createTableMessage('orderBookL2', action, event, data));
  }

  return {
    book_change: bookChange,
    trade: (event) => [
      createTableMessage('trade', 'insert', event, [
        {
          timestamp: formatIsoMs(event.timestamp),
          symbol: event.symbol,
          ...(event.side === 'unknown' ? {} : { side: formatSide(event.side) }),
          size: event.amount,
          price: event.price,
          tickDirection: 'ZeroPlusTick',
          trdMatchID: event.id,
        },
      ]),
    ],
    liquidation: (event) => [
      createTableMessage('liquidation', 'insert', event, [
        {
          orderID: event.id,
          symbol: event.symbol,
          side: formatSide(event.side),
          price: event.price,
          leavesQty: event.amount,
        },
      ]),
    ],
    derivative_ticker(event) {
      const action = tickers.has(event.symbol) ? 'update' : 'partial';
      tickers.add(event.symbol);
      const { fundingTimestamp } = event;
      const row = {
        symbol: event.symbol,
        ...(action === 'partial' ? { state: 'Open' } : {}),
        lastPrice: event.lastPrice,
        openInterest: event.openInterest,
        fundingRate: event.fundingRate,
        fundingTimestamp: fundingTimestamp === undefined ? undefined : formatIsoMs(fundingTimestamp),
        indicativeFundingRate: event.predictedFundingRate,
        indicativeSettlePrice: event.indexPrice,
        markPrice: event.markPrice,
        timestamp: formatIsoMs(event.timestamp),
      };
      return [createTableMessage('instrument', action, event, [row])];
    },
    book_ticker: (event) => [
      createTableMessage('quote', 'insert', event, [
        {
          timestamp: formatIsoMs(event.timestamp),
          symbol: event.symbol,
          bidSize: event.bidAmount,
          bidPrice: event.bidPrice,
          askPrice: event.askPrice,
          askSize: event.askAmount,
        },
      ]),
    ],
  };
}

/** Ids of levels by symbol and price. Each symbol has its own range. */
function createLevelIds(): (symbol: string, price: number) => number {
  const ranges = new Map<string, { readonly start: number; readonly ids: Map<number, number> }>();
  return (symbol, price) => {
    const range = ranges.get(symbol) ?? {
      start: ID_RANGE * (1 + seededRandom('level ids', symbol).int(1_000_000)),
      ids: new Map<number, number>(),
    };
    ranges.set(symbol, range);
    const id = range.ids.get(price) ?? range.start + range.ids.size;
    range.ids.set(price, id);
    return id;
  };
}

function formatSide(side: string): Side {
  return side === 'buy' ? 'Buy' : 'Sell';
}

function createTableMessage(
  channel: string,
  action: string,
  { symbol, localTimestamp }: { readonly symbol: string; readonly localTimestamp: number },
  data: readonly object[],
): NativeMessage {
  const filter = action === 'partial' ? { filter: { symbol } } : {};
  return { channel, symbol, localTimestamp, message: { table: channel, action, ...filter, data } };
}
