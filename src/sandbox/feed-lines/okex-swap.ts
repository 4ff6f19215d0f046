import type { PriceLevel } from '../../market/messages.js';
import type { EventOf } from '../simulation/market-event.js';
import { type MessageWriters, type NativeMessage, usToMs } from './message-writers.js';

/** Days on which the collector switched to other channels, in microseconds. */
const CHANNEL_CHANGES_US = {
  bestPrices: dayToUs('2022-05-06'),
  publicBooks: dayToUs('2023-02-25'),
  publicBooksEnd: dayToUs('2023-03-09'),
  allTrades: dayToUs('2023-10-19'),
  publicBooksAgain: dayToUs('2026-05-21'),
} as const;

/**
 * OKX perpetual swaps (OKX API v5, used from 2021-12-23 on): `{arg: {channel, instId}, data: […]}`, numbers as text,
 * times in milliseconds. The values of a ticker are in separate channels. An index price alone yields no normalized
 * ticker, so the mark price is repeated after it; funding messages have no time that normalized messages use. The first
 * message of liquidations only repeats earlier ones. Liquidations have no id.
 */
export function createOkexSwapWriters(): MessageWriters {
  let sequence = 0;
  let hasSentLiquidations = false;
  const tickers = new Map<string, EventOf<'derivative_ticker'>>();

  function derivativeTicker(event: EventOf<'derivative_ticker'>): readonly NativeMessage[] {
    const { symbol, markPrice, indexPrice, openInterest, lastPrice } = event;
    const previous = tickers.get(symbol);
    tickers.set(symbol, event);
    const ts = String(usToMs(event.timestamp));
    const common = { instType: 'SWAP', instId: symbol };
    const messages: NativeMessage[] = [];
    const isChanged = (key: 'markPrice' | 'indexPrice' | 'openInterest' | 'lastPrice'): boolean =>
      event[key] !== undefined && event[key] !== previous?.[key];
    if (isChanged('indexPrice')) {
      const index = toIndexSymbol(symbol);
      const data = [{ instId: index, idxPx: String(indexPrice), ts }];
      const arg = { channel: 'index-tickers', instId: index };
      messages.push({ ...createMessage(arg, event, data), symbol: index });
    }
    if (markPrice !== undefined && (isChanged('markPrice') || isChanged('indexPrice'))) {
      messages.push(createSymbolMessage('mark-price', event, [{ ...common, markPx: String(markPrice), ts }]));
    }
    if (isChanged('openInterest')) {
      messages.push(
        createSymbolMessage('open-interest', event, [{ ...common, oi: String(openInterest), ts }]),
      );
    }
    if (isChanged('lastPrice')) {
      messages.push(createSymbolMessage('tickers', event, [{ ...common, last: String(lastPrice), ts }]));
    }
    if (formatFunding(event) !== formatFunding(previous)) {
      messages.push(createSymbolMessage('funding-rate', event, [{ ...common, ...fundingFields(event) }]));
    }
    return messages;
  }

  return {
    derivative_ticker: derivativeTicker,
    trade(event) {
      const { symbol, id, price, amount, side, timestamp } = event;
      const channel = event.localTimestamp < CHANNEL_CHANGES_US.allTrades ? 'trades' : 'trades-all';
      const px = String(price);
      const sz = String(amount);
      const data = [{ instId: symbol, tradeId: id, px, sz, side, ts: String(usToMs(timestamp)) }];
      return [createSymbolMessage(channel, event, data)];
    },
    book_change(event) {
      const prevSeqId = event.isSnapshot ? -1 : sequence;
      sequence++;
      const levels = { asks: formatFourFieldLevels(event.asks), bids: formatFourFieldLevels(event.bids) };
      const data = [{ ...levels, ts: String(usToMs(event.timestamp)), seqId: sequence, prevSeqId }];
      const channel = booksChannel(event.localTimestamp);
      return [
        createSymbolMessage(channel, event, data, { action: event.isSnapshot ? 'snapshot' : 'update' }),
      ];
    },
    book_ticker(event) {
      const { symbol, askPrice, askAmount, bidPrice, bidAmount, localTimestamp } = event;
      const ts = String(usToMs(event.timestamp));
      if (localTimestamp < CHANNEL_CHANGES_US.bestPrices) {
        const ask = { askPx: String(askPrice), askSz: String(askAmount) };
        const bid = { bidPx: String(bidPrice), bidSz: String(bidAmount) };
        return [
          createSymbolMessage('tickers', event, [{ instType: 'SWAP', instId: symbol, ...ask, ...bid, ts }]),
        ];
      }
      sequence++;
      const side = (price: number | undefined, amount: number | undefined): readonly PriceLevel[] =>
        price === undefined || amount === undefined ? [] : [{ price, amount }];
      const levels = {
        asks: formatFourFieldLevels(side(askPrice, askAmount)),
        bids: formatFourFieldLevels(side(bidPrice, bidAmount)),
      };
      return [createSymbolMessage('bbo-tbt', event, [{ ...levels, ts, seqId: sequence }])];
    },
    liquidation(event) {
      const arg = { channel: 'liquidation-orders', instType: 'SWAP' };
      const detail = {
        side: event.side,
        posSide: event.side === 'buy' ? 'short' : 'long',
        bkPx: String(event.price),
        sz: String(event.amount),
        ts: String(usToMs(event.timestamp)),
      };
      const data = [{ instType: 'SWAP', instId: event.symbol, details: [detail] }];
      const first = hasSentLiquidations ? [] : [createMessage(arg, event, [])];
      hasSentLiquidations = true;
      return [...first, createMessage(arg, event, data)];
    },
  };
}

/** `BTC-USDT` for `BTC-USDT-SWAP`. */
function toIndexSymbol(symbol: string): string {
  const [base, quote] = symbol.split('-');
  return `${base}-${quote === 'USDC' ? 'USD' : quote}`;
}

function booksChannel(localTimestamp: number): string {
  const isFirstPeriod =
    localTimestamp >= CHANNEL_CHANGES_US.publicBooks && localTimestamp < CHANNEL_CHANGES_US.publicBooksEnd;
  return isFirstPeriod || localTimestamp >= CHANNEL_CHANGES_US.publicBooksAgain ? 'books' : 'books-l2-tbt';
}

function formatFunding(event: EventOf<'derivative_ticker'> | undefined): string {
  return JSON.stringify(event && fundingFields(event)) ?? '{}';
}

function fundingFields(event: EventOf<'derivative_ticker'>): object {
  const { fundingRate, fundingTimestamp, predictedFundingRate } = event;
  return {
    ...(fundingRate === undefined ? {} : { fundingRate: String(fundingRate) }),
    ...(fundingTimestamp === undefined ? {} : { fundingTime: String(usToMs(fundingTimestamp)) }),
    ...(predictedFundingRate === undefined ? {} : { nextFundingRate: String(predictedFundingRate) }),
  };
}

/** Price, amount, an unused field, and the number of orders. */
function formatFourFieldLevels(levels: readonly PriceLevel[]): readonly (readonly string[])[] {
  return levels.map(({ price, amount }) => [String(price), String(amount), '0', amount === 0 ? '0' : '1']);
}

interface EventHead {
  readonly symbol: string;
  readonly localTimestamp: number;
}

function createSymbolMessage(
  channel: string,
  event: EventHead,
  data: readonly object[],
  extra: object = {},
): NativeMessage {
  return createMessage({ channel, instId: event.symbol }, event, data, extra);
}

function createMessage(
  arg: { readonly channel: string; readonly [field: string]: string },
  { symbol, localTimestamp }: EventHead,
  data: readonly object[],
  extra: object = {},
): NativeMessage {
  return { channel: arg.channel, symbol, localTimestamp, message: { arg, ...extra, data } };
}

function dayToUs(day: string): number {
  return Date.parse(day) * 1000;
}
