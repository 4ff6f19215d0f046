import type { TradeRecord } from '../../market/message-record.js';
import type { EmitTextRecord } from '../normalizer.js';

/** Parts of regular expressions for JSON text: a character of a string without escapes, and a count. */
export const CELL = '[^"\\\\\\u0000-\\u001f]';
export const COUNT = '(?:0|[1-9]\\d{0,14})';

/** The usual form of a price or amount; what is no number is an error, which the parser of messages finds. */
const DECIMAL = '-?\\d+(?:\\.\\d+)?';

/** Milliseconds from 2001 to 2033, and the same or microseconds since 2020. */
export const MS = '1\\d{12}';
export const MS_OR_US = `${MS}|1[6-9]\\d{14}`;

/** Parses a trade from the text of a message; undefined for any other form or message. */
type ParseTradeText = (text: string, localTimestamp: number) => TradeRecord | undefined;

/** Exchanges that share one normalizer in the vendor's package. */
const BINANCE = new Set(['binance', 'binance-us', 'binance-jersey', 'binance-futures', 'binance-delivery']);

const BEGINNING = `\\{"stream":"${CELL}*@trade","data":\\{"e":"trade","E":(?:${COUNT}|${MS_OR_US})`;
const SYMBOL = `"s":"(${CELL}+)"`;
const ID = `"t":(${COUNT})`;
const PRICE_AND_AMOUNT = `"p":"(${DECIMAL})","q":"(${DECIMAL})"`;
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

/** Integers that are not read may have any number of digits. */
const INTEGER = '(?:0|[1-9]\\d*)';
const TEXT = `"${CELL}*"`;

/** All keys are fixed, so that none can occur twice. */
const MIDDLE_KEYS = '(?:usd_amount|(?:ask|bid)_(?:client_|account_)?id(?:_str)?)';
const LAST_KEYS =
  '(?:(?:taker|maker)_(?:fee|(?:position_size|entry_quote|initial_margin_fraction|allocated_margin_usdc)' +
  '_before|position_sign_changed)|transaction_time|(?:ask|bid)_account_pnl)';

const HEAD = new RegExp(
  `\\{"type":"update/trade","channel":"trade:${INTEGER}","nonce":${INTEGER},"trades":\\[`,
  'y',
);
const TRADE = new RegExp(
  `\\{"trade_id":${INTEGER},"trade_id_str":"(?<id>${CELL}+)","tx_hash":${TEXT},"type":${TEXT},` +
    `"market_id":(?<symbol>0|[1-9]\\d{0,8}),"size":"(?<amount>${DECIMAL})","price":"(?<price>${DECIMAL})",` +
    `(?:"${MIDDLE_KEYS}":(?:${TEXT}|${INTEGER}),)*"is_maker_ask":(?<isBuy>true|false),` +
    `"block_height":${INTEGER},"timestamp":(?<time>${MS})` +
    `(?:,"${LAST_KEYS}":(?:${TEXT}|${INTEGER}|true|false))*\\}`,
  'y',
);
/** Messages with liquidations are left to the parser, since two normalizers read them. */
const ENDS = ['],"liquidation_trades":[]}', ']}'];

interface LighterGroups {
  readonly id: string;
  readonly symbol: string;
  readonly amount: string;
  readonly price: string;
  readonly isBuy: string;
  readonly time: string;
}

/**
 * Reads the trades of a message of Lighter in its usual form, without parsing the twenty values of each trade
 * that no record has.
 * @returns false for any other text, which must be parsed.
 */
export function readLighterTradeText(text: string, localTimestamp: number, emit: EmitTextRecord): boolean {
  HEAD.lastIndex = 0;
  if (!HEAD.test(text)) return false;
  const trades: LighterGroups[] = [];
  let position = HEAD.lastIndex;
  do {
    TRADE.lastIndex = position + (trades.length === 0 ? 0 : 1);
    const trade = TRADE.exec(text);
    if (!trade) return false;
    trades.push(trade.groups as unknown as LighterGroups);
    position = TRADE.lastIndex;
  } while (text[position] === ',');
  if (!ENDS.includes(text.slice(position))) return false;
  for (const { id, symbol, amount, price, isBuy, time } of trades) {
    emit({
      type: 'trade',
      symbol,
      id,
      price: Number(price),
      amount: Number(amount),
      side: isBuy === 'true' ? 'buy' : 'sell',
      timestamp: Number(time) * 1000,
      micros: false,
      localTimestamp,
    });
  }
  return true;
}
