import { randomOf } from '../rows/random.js';

/** The day of the slices: the first of a month, which needs no key. */
export const DAY = '2024-03-01';
const MIDNIGHT = Date.parse(DAY);
/** Delay from the exchange to the collector, in tenths of a microsecond. */
const LAG = 41_237;

/**
 * Lines of binance-futures as in the raw data API (about 191 bytes): trades of a symbol.
 * @param symbol in lower case. @returns a function for the text of a minute with a number of lines; later by each call.
 */
export function tradeMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  const name = symbol.toUpperCase();
  let id = 4_651_234_567;
  let price = 612_345;
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (chance(0.4)) price += Math.round(normal() * 5);
      const amount = (1 + pick(chance(0.1) ? 9000 : 200)) / 1000;
      return `{"stream":"${symbol}@trade","data":{"e":"trade","E":${ms},"T":${ms - 3},"s":"${name}","t":${id++},"p":"${(price / 10).toFixed(2)}","q":"${amount.toFixed(3)}","X":"MARKET","m":${chance(0.5)}}}`;
    });
}

/** Lines of its order book: a snapshot of 1,000 levels per side, then updates of about 13 levels (about 475 bytes). */
export function depthMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  const name = symbol.toUpperCase();
  let id = 3_987_654_321;
  let mid = 612_345;
  let isFirst = true;
  const level = (step, away) =>
    `["${((mid + step * away) / 10).toFixed(2)}","${(chance(0.2) ? 0 : (1 + pick(9000)) / 1000).toFixed(3)}"]`;
  const some = (step) => Array.from({ length: 4 + pick(6) }, () => level(step, 1 + pick(300))).join();
  const whole = (step) =>
    Array.from(
      { length: 1000 },
      (_, at) => `["${((mid + step * (at + 1)) / 10).toFixed(2)}","1.250"]`,
    ).join();
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (isFirst) {
        isFirst = false;
        return `{"stream":"${symbol}@depthSnapshot","generated":true,"data":{"lastUpdateId":${id},"E":${ms},"T":${ms - 5},"bids":[${whole(-1)}],"asks":[${whole(1)}]}}`;
      }
      if (chance(0.3)) mid += Math.round(normal() * 3);
      const from = id;
      id += 1 + pick(40);
      return `{"stream":"${symbol}@depth@0ms","data":{"e":"depthUpdate","E":${ms},"T":${ms - 5},"s":"${name}","U":${from},"u":${id},"pu":${from},"b":[${some(-1)}],"a":[${some(1)}]}}`;
    });
}

/** Lines of lighter: a trade with its two orders and accounts (about 1,060 bytes). @param symbol number of a market. */
export function lighterTradeMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  let id = 18_240_999_426;
  let price = 612_345;
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (chance(0.4)) price += Math.round(normal() * 5);
      const size = ((1 + pick(chance(0.1) ? 9000 : 200)) / 1000).toFixed(5);
      const [ask, bid, askClient, bidClient] = [
        562_952_080_517_591, 844_422_774_647_737, 177_669_079_994_047, 0,
      ];
      const ids = `"ask_id":${ask + id},"ask_id_str":"${ask + id}","bid_id":${bid - id},"bid_id_str":"${bid - id}","ask_client_id":${askClient},"ask_client_id_str":"${askClient}","bid_client_id":${bidClient},"bid_client_id_str":"${bidClient}","ask_account_id":72056,"bid_account_id":27927`;
      const taker = `"taker_position_size_before":"0.00012","taker_entry_quote_before":"9.023274","taker_initial_margin_fraction_before":200`;
      const maker = `"maker_fee":38,"maker_position_size_before":"-60.95034","maker_entry_quote_before":"4581230.089589","maker_initial_margin_fraction_before":500`;
      const trade = `{"trade_id":${++id},"trade_id_str":"${id}","tx_hash":"${String(id).padEnd(80, '0')}","type":"trade","market_id":${symbol},"size":"${size}","price":"${(price / 10).toFixed(1)}","usd_amount":"9.023604",${ids},"is_maker_ask":${chance(0.5)},"block_height":218856174,"timestamp":${ms},${taker},${maker},"transaction_time":${ms}707}`;
      return `{"type":"update/trade","channel":"trade:${symbol}","nonce":${id},"trades":[${trade}],"liquidation_trades":[]}`;
    });
}

/** Lines of its order book: a snapshot of 1,000 levels per side, then updates of about 13 levels (about 780 bytes). */
export function lighterBookMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  let nonce = 10_382_292_136;
  let mid = 612_345;
  let isFirst = true;
  const level = (step, away, size) =>
    `{"price":"${((mid + step * away) / 10).toFixed(1)}","size":"${size.toFixed(5)}"}`;
  const some = (step) =>
    Array.from({ length: 4 + pick(6) }, () =>
      level(step, 1 + pick(300), chance(0.2) ? 0 : (1 + pick(9000)) / 1000),
    ).join();
  const whole = (step) => Array.from({ length: 1000 }, (_, at) => level(step, at + 1, 1.25)).join();
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (chance(0.3)) mid += Math.round(normal() * 3);
      const begin = isFirst ? 0 : nonce;
      const [kind, side] = isFirst ? ['subscribed', whole] : ['update', some];
      isFirst = false;
      nonce += 1 + pick(40);
      const book = `"code":0,"asks":[${side(1)}],"bids":[${side(-1)}],"offset":52072055,"nonce":${nonce},"last_updated_at":${ms}930,"begin_nonce":${begin}`;
      return `{"type":"${kind}/order_book","channel":"order_book:${symbol}","last_updated_at":${ms}930,"offset":52072055,"timestamp":${ms},"order_book":{${book}}}`;
    });
}

/**
 * Lines as those of `minutes`, with the keys of the messages in another order, so that no message is read from its text:
 * the path of exchanges without a text form.
 */
export function throughJson(minutes) {
  return (seed, symbol) => {
    const textOf = minutes(seed, symbol);
    return (minute, count) =>
      textOf(minute, count).replaceAll(
        /(Z )\{("stream":"[^"]*"),("generated":true,)?("data":.*)\}\n/g,
        (_, start, stream, generated = '', data) => `${start}{${generated}${data},${stream}}\n`,
      );
  };
}

/** Lines of mexc: trades of a symbol, each in a message (about 290 bytes). @param symbol in upper case. */
export function mexcTradeMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  const channel = 'spot@public.aggre.deals.v3.api.pb@10ms';
  let id = 698_165_549_569;
  let price = 612_345;
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (chance(0.4)) price += Math.round(normal() * 5);
      const amount = (1 + pick(chance(0.1) ? 9000 : 200)) / 1000;
      const deal = `{"price":"${(price / 10).toFixed(2)}","quantity":"${amount.toFixed(3)}","tradeType":${1 + pick(2)},"time":"${ms - 3}","tradeId":"${id}X0_${id++}X1"}`;
      return `{"channel":"${channel}@${symbol}","symbol":"${symbol}","sendTime":"${ms}","publicAggreDeals":{"deals":[${deal}],"eventType":"${channel}"}}`;
    });
}

/** Lines of its order book, with as many levels as those of `depthMinutes` (about 800 bytes). */
export function mexcDepthMinutes(seed, symbol) {
  const { chance, pick, normal } = randomOf(seed);
  const channel = 'spot@public.aggre.depth.v3.api.pb@10ms';
  const snapshots = 'spot@public.aggre.depth.snapshot.v3.api.pb@10ms';
  let version = 74_483_042_020;
  let mid = 612_345;
  let isFirst = true;
  const level = (step, away) =>
    `{"price":"${((mid + step * away) / 10).toFixed(2)}","quantity":"${(chance(0.2) ? 0 : (1 + pick(9000)) / 1000).toFixed(3)}"}`;
  const some = (step) => Array.from({ length: 4 + pick(6) }, () => level(step, 1 + pick(300))).join();
  const whole = (step) =>
    Array.from(
      { length: 1000 },
      (_, at) => `["${((mid + step * (at + 1)) / 10).toFixed(2)}","1.250"]`,
    ).join();
  return (minute, count) =>
    minuteOf(minute, count, (ms) => {
      if (isFirst) {
        isFirst = false;
        return `{"channel":"${snapshots}@${symbol}","symbol":"${symbol}","generated":true,"publicAggreDepthsSnapshot":{"lastUpdateId":${version},"bids":[${whole(-1)}],"asks":[${whole(1)}],"timestamp":${ms - 5}}}`;
      }
      if (chance(0.3)) mid += Math.round(normal() * 3);
      const from = version + 1;
      version += 1 + pick(40);
      return `{"channel":"${channel}@${symbol}","symbol":"${symbol}","sendTime":"${ms}","publicAggreDepths":{"asks":[${some(1)}],"bids":[${some(-1)}],"eventType":"${channel}","fromVersion":"${from}","toVersion":"${version}"}}`;
    });
}

/** @param messageAt creates a message for a time in milliseconds. */
function minuteOf(minute, count, messageAt) {
  const start = MIDNIGHT + minute * 60_000;
  const stem = new Date(start).toISOString().slice(0, 17);
  let text = '';
  for (let line = 0; line < count; line++) {
    const tenths = Math.floor((line * 600_000_000) / count);
    const local = Math.min(599_999_999, tenths + LAG);
    const seconds = String(Math.floor(local / 10_000_000)).padStart(2, '0');
    const fraction = String(local % 10_000_000).padStart(7, '0');
    text += `${stem}${seconds}.${fraction}Z ${messageAt(start + Math.floor(tenths / 10_000))}\n`;
  }
  return text;
}
