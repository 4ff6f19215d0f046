import { filterOf } from '../../service/feed-filter.js';
import { cutAtFirst, cutAtLast, eachOf, form, textsIn } from './form.js';

/** Exchanges whose messages have a list of texts, each a channel with a symbol. */

export const bitmex = form('{"op":"subscribe","args":["trade:XBTUSD"]}', ({ op, args }) =>
  op === 'subscribe' ? eachOf(textsIn(args), (text) => cutAtFirst(text, ':')) : undefined,
);

export const coinflex = form('{"op":"subscribe","args":["trade:BTC-USD"]}', ({ op, args }) =>
  op === 'subscribe' ? eachOf(textsIn(args), (text) => cutAtFirst(text, ':')) : undefined,
);

/** `btcusdt@depth@100ms`: what stands behind a second `@` is the speed, which the channel doesn't name. */
export const binance = form('{"method":"SUBSCRIBE","params":["btcusdt@trade"]}', ({ method, params }) =>
  method === 'SUBSCRIBE'
    ? eachOf(textsIn(params), (text) => {
        const [symbol = '', ...rest] = text.split('@');
        const channel = rest.length > 1 ? rest.slice(0, -1).join('@') : rest[0];
        return channel === undefined ? undefined : filterOf(channel, [symbol]);
      })
    : undefined,
);

export const mexc = form(
  '{"method":"SUBSCRIPTION","params":["spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT"]}',
  ({ method, params }) =>
    method === 'SUBSCRIPTION' ? eachOf(textsIn(params), (text) => cutAtLast(text, '@')) : undefined,
);

/** `orderbook.50.BTCUSDT`: the channel has points too. */
export const bybit = form('{"op":"subscribe","args":["orderbook.50.BTCUSDT"]}', ({ op, args }) =>
  op === 'subscribe' ? eachOf(textsIn(args), (text) => cutAtLast(text, '.')) : undefined,
);
