import { createFeedFilter } from '../../service/feed-filter.js';
import { createForm, mapAllOrNone, splitAtFirst, splitAtLast, toTexts } from './subscription-form.js';

/** Exchanges whose messages have a list of texts, each with a channel and a symbol. */

export const bitmexForm = createForm('{"op":"subscribe","args":["trade:XBTUSD"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':')) : undefined,
);

export const coinflex = createForm('{"op":"subscribe","args":["trade:BTC-USD"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':')) : undefined,
);

/** `btcusdt@depth@100ms`: the text after a second `@` is the speed, which is not part of the channel. */
export const binance = createForm(
  '{"method":"SUBSCRIBE","params":["btcusdt@trade"]}',
  ({ method, params }) =>
    method === 'SUBSCRIBE'
      ? mapAllOrNone(toTexts(params), (text) => {
          const [symbol = '', ...rest] = text.split('@');
          const channel = rest.length > 1 ? rest.slice(0, -1).join('@') : rest[0];
          return channel === undefined ? undefined : createFeedFilter(channel, [symbol]);
        })
      : undefined,
);

export const mexc = createForm(
  '{"method":"SUBSCRIPTION","params":["spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT"]}',
  ({ method, params }) =>
    method === 'SUBSCRIPTION' ? mapAllOrNone(toTexts(params), (text) => splitAtLast(text, '@')) : undefined,
);

/** `orderbook.50.BTCUSDT`: the channel may contain dots. */
export const bybitForm = createForm('{"op":"subscribe","args":["orderbook.50.BTCUSDT"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtLast(text, '.')) : undefined,
);
