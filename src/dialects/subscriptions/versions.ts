import type { FeedFilter } from '../../service/feed-filter.js';
import { toFields, toFieldsList } from '../message-fields.js';
import { bybitForm } from './by-list.js';
import {
  createForm,
  either,
  mapAllOrNone,
  type SubscriptionForm,
  splitAtFirst,
  toFilter,
  toFilterList,
  toText,
  toTexts,
} from './subscription-form.js';

/** Exchanges whose messages changed with a version of their API, all of which are understood. */

/** `spot/trade:BTC-USDT` of v3; of v5 an object with an instrument, a family or, without either, all of a type. */
export const okex = createForm(
  '{"op":"subscribe","args":[{"channel":"trades-all","instId":"BTC-USDT"}]}',
  ({ op, args }) => {
    if (op !== 'subscribe') return undefined;
    if (toTexts(args)) return mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':'));
    return mapAllOrNone(toFieldsList(args), ({ channel, instId, instFamily, uly, sprdId }) =>
      toFilter(channel, instId ?? sprdId ?? instFamily ?? uly),
    );
  },
);

export const kraken = either(
  createForm(
    '{"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD"]}}',
    ({ method, params }) => {
      const { channel, symbol } = toFields(params);
      return method === 'subscribe' ? toFilterList(channel, symbol) : undefined;
    },
  ),
  createForm(
    '{"event":"subscribe","pair":["XBT/USD"],"subscription":{"name":"trade"}}',
    ({ event, subscription, pair }) =>
      event === 'subscribe' ? toFilterList(toFields(subscription)['name'], pair) : undefined,
  ),
);

/** `ob.BTC_USDT.400`, of the newest order book. */
const GATE_STREAM = /^ob\.(.+)\.\d+$/;

/** `spot.trades`, `futures.trades`; the payload has symbols, of order books one with its depth and speed. */
const gateV4 = (example: string): SubscriptionForm =>
  createForm(example, ({ event, channel, payload }) => {
    const name = toText(channel)?.split('.')[1];
    const texts = toFirstTexts(payload)?.map((text) => GATE_STREAM.exec(text)?.[1] ?? text);
    if (event !== 'subscribe' || name === undefined || texts === undefined) return undefined;
    return toFilterList(name, name.startsWith('order_book') ? texts.slice(0, 1) : texts);
  });

export const gateIo = either(
  gateV4('{"event":"subscribe","channel":"spot.trades","payload":["BTC_USDT"]}'),
  createForm('{"method":"trades.subscribe","params":["BTC_USDT"]}', ({ method, params }) => {
    const [name, what] = (toText(method) ?? '').split('.');
    const symbols = toFirstTexts(params);
    return what === 'subscribe' && symbols ? toFilterList(name, symbols) : undefined;
  }),
);

export const gateIoFutures = gateV4(
  '{"event":"subscribe","channel":"futures.trades","payload":["BTC_USDT"]}',
);

export const poloniex = either(
  createForm(
    '{"event":"subscribe","channel":["trades"],"symbols":["BTC_USDT"]}',
    ({ event, channel, symbols }) =>
      event === 'subscribe' ? mapAllOrNone(toTexts(channel), (name) => toFilter(name, symbols)) : undefined,
  ),
  createForm('{"command":"subscribe","channel":"BTC_ETH"}', ({ command, channel }) => {
    const symbol = toText(channel);
    return command === 'subscribe' && symbol ? toFilterList('price_aggregated_book', symbol) : undefined;
  }),
);

/** The first day of version 5 of Bybit's API, in microseconds. */
const BYBIT_V5 = Date.parse('2023-04-05') * 1000;

const bybitSpotBefore = createForm(
  '{"event":"sub","topic":"trade","symbol":"BTCUSDT"}',
  ({ event, topic, symbol }) => (event === 'sub' ? toFilterList(topic, symbol) : undefined),
);

export const bybitSpot = {
  example: bybitForm.example,
  read: (message: unknown, at: number): readonly FeedFilter[] | undefined =>
    (at < BYBIT_V5 ? bybitSpotBefore : bybitForm).read(message, at),
};

/** `channel` and `instId` of v2, `topic` and `symbol` of v3. */
export const bitget = createForm(
  '{"op":"subscribe","args":[{"instType":"spot","topic":"publicTrade","symbol":"BTCUSDT"}]}',
  ({ op, args }) =>
    op === 'subscribe'
      ? mapAllOrNone(toFieldsList(args), ({ channel, topic, instId, symbol }) =>
          toFilter(topic ?? channel, symbol ?? instId),
        )
      : undefined,
);

/** The texts of a list, or the first of each list in it; none where it is left out. */
function toFirstTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (!Array.isArray(value)) return toTexts(value);
  return toTexts(value.map((item: unknown) => (Array.isArray(item) ? (item[0] as unknown) : item)));
}
