import type { PriceLevel } from '../../market/messages.js';
import {
  formatLevels,
  formatOptionalNumber,
  type MessageWriters,
  type NativeMessage,
  usToMs,
} from './message-writers.js';

/** From this time on, all liquidations are sent, in a separate topic. In microseconds. */
const ALL_LIQUIDATIONS_START_US = Date.parse('2025-02-26') * 1000;

/**
 * Bybit linear and inverse contracts (Bybit API v5, WebSocket public channels, used from 2023-04-05 on): `{topic,
 * type, ts, data}`, numbers as text, times in milliseconds. The side of a liquidation is that of the position.
 * Liquidations have no id.
 */
export function createBybitWriters(): MessageWriters {
  let update = 0;
  const tickers = new Set<string>();
  return {
    trade: (event) => [
      createTopicMessage('publicTrade', 'snapshot', event, [
        {
          T: usToMs(event.timestamp),
          s: event.symbol,
          S: event.side === 'unknown' ? '' : formatSide(event.side),
          v: String(event.amount),
          p: String(event.price),
          L: 'ZeroPlusTick',
          i: event.id,
          BT: false,
        },
      ]),
    ],
    book_change(event) {
      update++;
      const levels = { b: formatLevels(event.bids), a: formatLevels(event.asks) };
      const data = { s: event.symbol, ...levels, u: update, seq: update };
      return [createTopicMessage('orderbook.50', event.isSnapshot ? 'snapshot' : 'delta', event, data)];
    },
    book_ticker(event) {
      update++;
      const side = (price: number | undefined, amount: number | undefined): readonly PriceLevel[] =>
        price === undefined || amount === undefined ? [] : [{ price, amount }];
      const b = formatLevels(side(event.bidPrice, event.bidAmount));
      const a = formatLevels(side(event.askPrice, event.askAmount));
      return [
        createTopicMessage('orderbook.1', 'snapshot', event, {
          s: event.symbol,
          b,
          a,
          u: update,
          seq: update,
        }),
      ];
    },
    derivative_ticker(event) {
      const type = tickers.has(event.symbol) ? 'delta' : 'snapshot';
      tickers.add(event.symbol);
      const { fundingTimestamp } = event;
      const data = {
        symbol: event.symbol,
        lastPrice: formatOptionalNumber(event.lastPrice),
        indexPrice: formatOptionalNumber(event.indexPrice),
        markPrice: formatOptionalNumber(event.markPrice),
        openInterest: formatOptionalNumber(event.openInterest),
        nextFundingTime: fundingTimestamp === undefined ? undefined : String(usToMs(fundingTimestamp)),
        fundingRate: formatOptionalNumber(event.fundingRate),
      };
      return [createTopicMessage('tickers', type, event, data)];
    },
    liquidation(event) {
      const T = usToMs(event.timestamp);
      const side = event.side === 'buy' ? 'Sell' : 'Buy';
      const v = String(event.amount);
      const p = String(event.price);
      if (event.localTimestamp >= ALL_LIQUIDATIONS_START_US) {
        return [
          createTopicMessage('allLiquidation', 'snapshot', event, [{ T, s: event.symbol, S: side, v, p }]),
        ];
      }
      const data = { updatedTime: T, symbol: event.symbol, side, size: v, price: p };
      return [createTopicMessage('liquidation', 'snapshot', event, data)];
    },
  };
}

function formatSide(side: string): string {
  return side === 'buy' ? 'Buy' : 'Sell';
}

function createTopicMessage(
  channel: string,
  type: string,
  event: { readonly symbol: string; readonly timestamp: number; readonly localTimestamp: number },
  data: object,
): NativeMessage {
  const { symbol, timestamp, localTimestamp } = event;
  const message = { topic: `${channel}.${symbol}`, type, ts: usToMs(timestamp), data };
  return { channel, symbol, localTimestamp, message };
}
