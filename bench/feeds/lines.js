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
