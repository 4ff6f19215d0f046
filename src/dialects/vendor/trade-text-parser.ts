import type { TradeRecord } from '../../market/records/source-record.js';

/** Reads a trade from the text of a message; undefined for any other form, or another message. */
export type ParseTradeText = (text: string, localTimestamp: number) => TradeRecord | undefined;

/** Those that the vendor's package reads by one and the same normalizer. */
const BINANCE = new Set(['binance', 'binance-us', 'binance-jersey', 'binance-futures', 'binance-delivery']);

const CELL = '[^"\\\\\\u0000-\\u001f]';
const COUNT = '(?:0|[1-9]\\d{0,14})';
const BEGINNING = `\\{"stream":"${CELL}*@trade","data":\\{"e":"trade","E":(?:${COUNT}|1[6-9]\\d{14})`;
const SYMBOL = `"s":"(${CELL}+)"`;
const ID = `"t":(${COUNT})`;
const PRICE_AND_AMOUNT = `"p":"(${CELL}+)","q":"(${CELL}+)"`;
/** Milliseconds till 2033, or microseconds from 2020 on. */
const TIME = '"T":(1\\d{12}|1[6-9]\\d{14})';
const SIDE = '"m":(true|false)';

/** Of futures; `X` may be missing, and what it names else is no trade of the book. */
const FUTURES = new RegExp(
  `^${BEGINNING},${TIME},${SYMBOL},${ID},${PRICE_AND_AMOUNT}(?:,"X":"MARKET")?,${SIDE}\\}\\}$`,
);
/** Of the spot market; since 2025 without the two orders' numbers. */
const SPOT = new RegExp(
  `^${BEGINNING},${SYMBOL},${ID},${PRICE_AND_AMOUNT}(?:,"b":${COUNT},"a":${COUNT})?,${TIME},${SIDE},"M":(?:true|false)\\}\\}$`,
);

/**
 * Trades of Binance are the most frequent messages that there are, and in all of a day's they have one form. Read where
 * they lie they cost a third of what parsing and normalizing them does; whatever looks another way is left to that.
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

/** The six groups of either form. */
type TradeGroups = readonly [string, string, string, string, string, string, string];

/** As the vendor's normalizer has it: times of more digits are microseconds, others milliseconds. */
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
