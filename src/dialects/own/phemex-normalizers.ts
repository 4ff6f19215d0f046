import type { PriceLevel } from '../../market/messages.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { toFields } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { LastTickers } from './last-ticker.js';
import { eventTimeFromNanos, parseOptionalNumber } from './parse-values.js';
import { hasSpotNameOfPerpetual, isLinearPerpetual, toPhemexSymbol } from './phemex-symbols.js';

/**
 * Phemex (Phemex API, WebSocket). Spot markets and contracts in coins have scaled integers, in the channels
 * `trades`, `book` and `market24h`; contracts in USDT and USDC have text, in channels of their own. Times are
 * nanoseconds. Records have symbols in upper case.
 */
export function phemexTrades(): Normalizer {
  return {
    kind: 'phemex-trades',
    filters: (symbols) => toPhemexFilters('trades', 'trades_p', symbols),
    handles: (message) => hasKey(message, ['trades', 'trades_p']),
    read(message, localTimestamp, emit) {
      const { type, symbol, trades, trades_p } = toFields(message);
      const list = trades ?? trades_p;
      // The snapshot has trades from before the connection.
      if (type !== 'incremental' || list === undefined || hasSpotNameOfPerpetual(String(symbol))) return;
      const scale = trades === undefined ? NO_SCALE : scaleOf(String(symbol));
      for (const [time, side, price, amount] of list as readonly (readonly unknown[])[]) {
        emit({
          type: 'trade',
          symbol: String(symbol).toUpperCase(),
          price: Number(price) / scale.price,
          amount: Number(amount) / scale.amount,
          side: side === 'Buy' ? 'buy' : 'sell',
          ...eventTimeFromNanos(time, localTimestamp),
        });
      }
    },
  };
}

export function phemexBooks(): Normalizer {
  return {
    kind: 'phemex-books',
    filters: (symbols) => toPhemexFilters('book', 'orderbook_p', symbols),
    handles: (message) => hasKey(message, ['book', 'orderbook_p']),
    read(message, localTimestamp, emit) {
      const { type, symbol, timestamp, book, orderbook_p } = toFields(message);
      const levels = book ?? orderbook_p;
      if (levels === undefined || hasSpotNameOfPerpetual(String(symbol))) return;
      const scale = book === undefined ? NO_SCALE : scaleOf(String(symbol));
      const { bids, asks } = toFields(levels);
      emit({
        type: 'book_change',
        symbol: String(symbol).toUpperCase(),
        isSnapshot: type === 'snapshot',
        bids: parseScaledLevels(bids, scale),
        asks: parseScaledLevels(asks, scale),
        ...eventTimeFromNanos(timestamp, localTimestamp),
      });
    },
  };
}

const FUNDING_SCALE = 1e8;
const CONTRACT_PRICE_SCALE = 1e4;

export function phemexDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  return {
    kind: 'phemex-derivative-tickers',
    filters: (symbols) => toPhemexFilters('market24h', 'perp_market24h_pack_p', symbols),
    handles: (message) =>
      hasKey(message, ['market24h']) || toFields(message)['method'] === 'perp_market24h_pack_p.update',
    read(message, localTimestamp, emit) {
      const { market24h, method, data, timestamp } = toFields(message);
      const isPack = method === 'perp_market24h_pack_p.update';
      if (market24h === undefined && !isPack) return;
      const items =
        market24h === undefined ? (data as readonly (readonly unknown[])[]) : [toTickerRow(market24h)];
      const time = eventTimeFromNanos(timestamp, localTimestamp);
      for (const row of items) {
        const [symbol, , , , last, , , openInterest, index, mark, funding, predicted] = row;
        const record = tickers.get(String(symbol)).update(
          {
            lastPrice: parseOptionalNumber(last),
            openInterest: parseOptionalNumber(openInterest),
            fundingRate: parseOptionalNumber(funding),
            predictedFundingRate: parseOptionalNumber(predicted),
            indexPrice: parseOptionalNumber(index),
            markPrice: parseOptionalNumber(mark),
          },
          time,
        );
        if (record) emit(record);
      }
    },
  };
}

function hasKey(message: unknown, keys: readonly string[]): boolean {
  const fields = toFields(message);
  return keys.some((key) => fields[key] !== undefined);
}

/** The values of a contract in coins, in the order of the packed rows of other contracts. */
function toTickerRow(market24h: unknown): readonly unknown[] {
  const { symbol, close, openInterest, indexPrice, markPrice, fundingRate, predFundingRate } =
    toFields(market24h);
  const price = (value: unknown): unknown => divide(value, CONTRACT_PRICE_SCALE);
  const rate = (value: unknown): unknown => divide(value, FUNDING_SCALE);
  const row: unknown[] = [symbol];
  row[4] = price(close);
  row[7] = openInterest;
  row[8] = price(indexPrice);
  row[9] = price(markPrice);
  row[10] = rate(fundingRate);
  row[11] = rate(predFundingRate);
  return row;
}

function divide(value: unknown, scale: number): number | undefined {
  const number = parseOptionalNumber(value);
  return number === undefined ? undefined : number / scale;
}

interface Scale {
  readonly price: number;
  readonly amount: number;
}

const NO_SCALE: Scale = { price: 1, amount: 1 };
const SPOT_SCALE: Scale = { price: 1e8, amount: 1e8 };
const CONTRACT_SCALE: Scale = { price: CONTRACT_PRICE_SCALE, amount: 1 };

/** Names of spot markets begin with a small s. */
function scaleOf(symbol: string): Scale {
  return symbol.startsWith('s') ? SPOT_SCALE : CONTRACT_SCALE;
}

function parseScaledLevels(side: unknown, scale: Scale): readonly PriceLevel[] {
  if (!Array.isArray(side)) return [];
  return side.map((level: readonly unknown[]) => ({
    price: Number(level[0]) / scale.price,
    amount: Number(level[1]) / scale.amount,
  }));
}

/** @param scaled channel with scaled integers. @param linear channel of contracts in USDT and USDC. */
function toPhemexFilters(
  scaled: string,
  linear: string,
  symbols: readonly string[] | undefined,
): readonly FeedFilter[] {
  if (symbols === undefined) return [{ channel: scaled }, { channel: linear }];
  const ids = symbols.map(toPhemexSymbol);
  return [
    { channel: linear, symbols: ids.filter(isLinearPerpetual) },
    { channel: scaled, symbols: ids.filter((id) => !isLinearPerpetual(id)) },
  ].filter((filter) => filter.symbols.length > 0);
}
