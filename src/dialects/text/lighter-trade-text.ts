import type { EmitTextRecord } from '../normalizer.js';
import { CELL, MS } from './json-patterns.js';

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
    `"market_id":(?<symbol>0|[1-9]\\d{0,8}),"size":"(?<amount>${CELL}+)","price":"(?<price>${CELL}+)",` +
    `(?:"${MIDDLE_KEYS}":(?:${TEXT}|${INTEGER}),)*"is_maker_ask":(?<isBuy>true|false),` +
    `"block_height":${INTEGER},"timestamp":(?<time>${MS})` +
    `(?:,"${LAST_KEYS}":(?:${TEXT}|${INTEGER}|true|false))*\\}`,
  'y',
);
/** Messages with liquidations are left to the parser, since two normalizers read them. */
const ENDS = ['],"liquidation_trades":[]}', ']}'];

interface TradeGroups {
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
  const trades: TradeGroups[] = [];
  let position = HEAD.lastIndex;
  do {
    TRADE.lastIndex = position + (trades.length === 0 ? 0 : 1);
    const trade = TRADE.exec(text);
    if (!trade) return false;
    trades.push(trade.groups as unknown as TradeGroups);
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
