import type { Filter } from '../../service/feed-filter.js';
import { fieldsIn, listIn } from '../fields.js';
import { bybit } from './by-list.js';
import {
  cutAtFirst,
  eachOf,
  either,
  filterIn,
  form,
  oneFilter,
  type SubscriptionForm,
  textIn,
  textsIn,
} from './form.js';

/** Exchanges whose messages changed with a version of their API, all of which are understood. */

/** `spot/trade:BTC-USDT` of v3; of v5 an object with an instrument, a family or, without either, all of a type. */
export const okex = form(
  '{"op":"subscribe","args":[{"channel":"trades-all","instId":"BTC-USDT"}]}',
  ({ op, args }) => {
    if (op !== 'subscribe') return undefined;
    if (textsIn(args)) return eachOf(textsIn(args), (text) => cutAtFirst(text, ':'));
    return eachOf(listIn(args), ({ channel, instId, instFamily, uly, sprdId }) =>
      filterIn(channel, instId ?? sprdId ?? instFamily ?? uly),
    );
  },
);

export const kraken = either(
  form('{"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD"]}}', ({ method, params }) => {
    const { channel, symbol } = fieldsIn(params);
    return method === 'subscribe' ? oneFilter(channel, symbol) : undefined;
  }),
  form(
    '{"event":"subscribe","pair":["XBT/USD"],"subscription":{"name":"trade"}}',
    ({ event, subscription, pair }) =>
      event === 'subscribe' ? oneFilter(fieldsIn(subscription)['name'], pair) : undefined,
  ),
);

/** `ob.BTC_USDT.400`, of the newest order book. */
const GATE_STREAM = /^ob\.(.+)\.\d+$/;

/** `spot.trades`, `futures.trades`; the payload has symbols, of order books one with its depth and speed. */
const gateV4 = (example: string): SubscriptionForm =>
  form(example, ({ event, channel, payload }) => {
    const name = textIn(channel)?.split('.')[1];
    const texts = firstTexts(payload)?.map((text) => GATE_STREAM.exec(text)?.[1] ?? text);
    if (event !== 'subscribe' || name === undefined || texts === undefined) return undefined;
    return oneFilter(name, name.startsWith('order_book') ? texts.slice(0, 1) : texts);
  });

export const gateIo = either(
  gateV4('{"event":"subscribe","channel":"spot.trades","payload":["BTC_USDT"]}'),
  form('{"method":"trades.subscribe","params":["BTC_USDT"]}', ({ method, params }) => {
    const [name, what] = (textIn(method) ?? '').split('.');
    const symbols = firstTexts(params);
    return what === 'subscribe' && symbols ? oneFilter(name, symbols) : undefined;
  }),
);

export const gateIoFutures = gateV4(
  '{"event":"subscribe","channel":"futures.trades","payload":["BTC_USDT"]}',
);

export const poloniex = either(
  form('{"event":"subscribe","channel":["trades"],"symbols":["BTC_USDT"]}', ({ event, channel, symbols }) =>
    event === 'subscribe' ? eachOf(textsIn(channel), (name) => filterIn(name, symbols)) : undefined,
  ),
  form('{"command":"subscribe","channel":"BTC_ETH"}', ({ command, channel }) => {
    const symbol = textIn(channel);
    return command === 'subscribe' && symbol ? oneFilter('price_aggregated_book', symbol) : undefined;
  }),
);

/** The first day of version 5 of Bybit's API, in microseconds. */
const BYBIT_V5 = Date.parse('2023-04-05') * 1000;

const bybitSpotBefore = form(
  '{"event":"sub","topic":"trade","symbol":"BTCUSDT"}',
  ({ event, topic, symbol }) => (event === 'sub' ? oneFilter(topic, symbol) : undefined),
);

export const bybitSpot = {
  example: bybit.example,
  read: (message: unknown, at: number): readonly Filter[] | undefined =>
    (at < BYBIT_V5 ? bybitSpotBefore : bybit).read(message, at),
};

/** `channel` and `instId` of v2, `topic` and `symbol` of v3. */
export const bitget = form(
  '{"op":"subscribe","args":[{"instType":"spot","topic":"publicTrade","symbol":"BTCUSDT"}]}',
  ({ op, args }) =>
    op === 'subscribe'
      ? eachOf(listIn(args), ({ channel, topic, instId, symbol }) =>
          filterIn(topic ?? channel, symbol ?? instId),
        )
      : undefined,
);

/** The texts of a list, or the first of each list in it; none where it is left out. */
function firstTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (!Array.isArray(value)) return textsIn(value);
  return textsIn(value.map((item: unknown) => (Array.isArray(item) ? (item[0] as unknown) : item)));
}
