import type { TradeRecord } from '../../market/records/message-record.js';
import { CELL, COUNT, MS_OR_US } from './json-patterns.js';

/** Parses a trade from the text of a message; undefined for any other form or message. */
export type ParseTradeText = (text: string, localTimestamp: number) => TradeRecord | undefined;

/** Exchanges that share one normalizer in the vendor's package. */
const BINANCE = new Set(['binance', 'binance-us', 'binance-jersey', 'binance-futures', 'binance-delivery']);

const BEGINNING = `\\{"stream":"${CELL}*@trade","data":\\{"e":"trade","E":(?:${COUNT}|${MS_OR_US})`;
const SYMBOL = `"s":"(${CELL}+)"`;
const ID = `"t":(${COUNT})`;
const PRICE_AND_AMOUNT = `"p":"(${CELL}+)","q":"(${CELL}+)"`;
const TIME = `"T":(${MS_OR_US})`;
const SIDE = '"m":(true|false)';

/** Trades of futures. `X` may be missing; other values of it are not trades of the order book. */
const FUTURES = new RegExp(
  `^${BEGINNING},${TIME},${SYMBOL},${ID},${PRICE_AND_AMOUNT}(?:,"X":"MARKET")?,${SIDE}\\}\\}$`,
);
/** Trades of the spot market; since 2025 without the ids of the two orders. */
const SPOT = new RegExp(
  `^${BEGINNING},${SYMBOL},${ID},${PRICE_AND_AMOUNT}(?:,"b":${COUNT},"a":${COUNT})?,${TIME},${SIDE},"M":(?:true|false)\\}\\}$`,
);

/**
 * Creates a parser for trades of Binance. They are the most frequent messages of all, and nearly always have
 * one form. Parsing their text directly takes a third of the time of parsing and normalizing JSON, which
 * handles all other forms.
 */
export function createTradeTextParser(exchange: string): ParseTradeText | undefined {
  if (!BINANCE.has(exchange)) return undefined;
  return (text, localTimestamp) => {
    const futures = FUTURES.exec(text);
    if (futures) {
      const [, time, symbol, id, price, amount, isSell] = futures as unknown as TradeGroups;
      return createTradeRecord(symbol, id, price, amount, isSell, time, localTimestamp);
    }
    const spot = SPOT.exec(text);
    if (!spot) return undefined;
    const [, symbol, id, price, amount, time, isSell] = spot as unknown as TradeGroups;
    return createTradeRecord(symbol, id, price, amount, isSell, time, localTimestamp);
  };
}

/** The match and the six groups of either expression. */
type TradeGroups = readonly [string, string, string, string, string, string, string];

/** As in the vendor's normalizer, times with more than 13 digits are microseconds, others milliseconds. */
function createTradeRecord(
  symbol: string,
  id: string,
  price: string,
  amount: string,
  isSell: string,
  time: string,
  localTimestamp: number,
): TradeRecord {
  const sent = Number(time);
  const micros = time.length > 13;
  return {
    type: 'trade',
    symbol,
    id,
    price: Number(price),
    amount: Number(amount),
    side: isSell === 'true' ? 'sell' : 'buy',
    timestamp: micros ? sent : sent * 1000,
    micros,
    localTimestamp,
  };
}
