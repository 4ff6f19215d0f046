import { type Filter, filterOf } from '../../service/feed-filter.js';
import { fieldsIn, listIn } from '../fields.js';
import { cutAtFirst, cutAtLast, eachOf, filterIn, form, oneFilter, textIn, textsIn } from './form.js';

/** Exchanges whose messages have one channel with its symbols, or several in a way of their own. */

export const binanceDex = form(
  '{"method":"subscribe","topic":"trades","symbols":["BNB_BTCB-1DE"]}',
  ({ method, topic, symbols }) => (method === 'subscribe' ? oneFilter(topic, symbols) : undefined),
);

export const cryptofacilities = form(
  '{"event":"subscribe","feed":"trade","product_ids":["PI_XBTUSD"]}',
  ({ event, feed, product_ids }) => (event === 'subscribe' ? oneFilter(feed, product_ids) : undefined),
);

export const ftx = form(
  '{"op":"subscribe","channel":"trades","market":"BTC-PERP"}',
  ({ op, channel, market }) => (op === 'subscribe' ? oneFilter(channel, market) : undefined),
);

export const blockchainCom = form(
  '{"action":"subscribe","channel":"l2","symbol":"BTC-USD"}',
  ({ action, channel, symbol }) => (action === 'subscribe' ? oneFilter(channel, symbol) : undefined),
);

export const dydx = form(
  '{"type":"subscribe","channel":"v3_trades","id":"BTC-USD"}',
  ({ type, channel, id }) => (type === 'subscribe' ? oneFilter(channel, id) : undefined),
);

export const bitstamp = form(
  '{"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}',
  ({ event, data }) => {
    const channel = textIn(fieldsIn(data)['channel']);
    return event === 'bts:subscribe' && channel?.includes('_') ? [cutAtLast(channel, '_')] : undefined;
  },
);

export const kucoin = form(
  '{"type":"subscribe","topic":"/market/ticker:BTC-USDT,ETH-USDT"}',
  ({ type, topic }) => {
    const [path = '', symbols] = (textIn(topic) ?? '').split(':');
    if (type !== 'subscribe' || path === '') return undefined;
    return [filterOf(path.replace(/^\//, ''), symbols?.split(','))];
  },
);

/** `public.BTC-USD.funding_rate` is the topic of a notification, which has a connection of its own there. */
export const huobi = form('{"sub":"market.btcusdt.trade.detail"}', ({ sub, op, topic }) => {
  const [, symbol, channel] = (textIn(op === 'sub' ? topic : sub) ?? '').split('.');
  return symbol && channel ? [filterOf(channel, [symbol])] : undefined;
});

export const coinbaseInternational = form(
  '{"type":"SUBSCRIBE","channels":["MATCH"],"product_ids":["BTC-PERP"]}',
  ({ type, channels, product_ids }) =>
    type === 'SUBSCRIBE' ? eachOf(textsIn(channels), (channel) => filterIn(channel, product_ids)) : undefined,
);

/** What stands between the first point and the last is the symbol; behind the last, how often. */
export const deribit = form(
  '{"method":"public/subscribe","params":{"channels":["book.BTC-PERPETUAL.raw"]}}',
  ({ method, params }) =>
    method === 'public/subscribe'
      ? eachOf(textsIn(fieldsIn(params)['channels']), (text) => {
          const [channel = '', ...rest] = text.split('.');
          const symbol = rest.length > 1 ? rest.slice(0, -1).join('.') : rest[0];
          return filterOf(channel, symbol === undefined ? undefined : [symbol]);
        })
      : undefined,
);

const BITFLYER_CHANNELS = [
  'lightning_board_snapshot',
  'lightning_board',
  'lightning_ticker',
  'lightning_executions',
];

export const bitflyer = form(
  '{"method":"subscribe","params":{"channel":"lightning_executions_BTC_JPY"}}',
  ({ method, params }) => {
    const text = textIn(fieldsIn(params)['channel']);
    const channel = BITFLYER_CHANNELS.find((name) => text === name || text?.startsWith(`${name}_`));
    if (method !== 'subscribe' || text === undefined || channel === undefined) return undefined;
    return [filterOf(channel, text === channel ? undefined : [text.slice(channel.length + 1)])];
  },
);

/** Mark prices are those of symbols of their own, which the exchange wants written so, and the vendor's server not. */
const markSymbol = (symbol: string): string => (symbol.startsWith('MARK:') ? symbol : `MARK:${symbol}`);

export const delta = form(
  '{"type":"subscribe","payload":{"channels":[{"name":"l2_orderbook","symbols":["BTCUSD"]}]}}',
  ({ type, payload }) =>
    type === 'subscribe'
      ? eachOf(listIn(fieldsIn(payload)['channels']), ({ name, symbols }) => {
          const filter = filterIn(name, symbols);
          return name === 'mark_price' && filter
            ? filterOf(filter.channel, filter.symbols?.map(markSymbol))
            : filter;
        })
      : undefined,
);

/** A snapshot of a book is asked for once, by `req`. */
export const ascendex = form('{"op":"sub","ch":"trades:BTC/USDT"}', ({ op, ch, action, args }) => {
  if (op !== 'sub' && op !== 'req') return undefined;
  const channel = textIn(ch);
  return channel === undefined ? oneFilter(action, fieldsIn(args)['symbol']) : [cutAtFirst(channel, ':')];
});

export const upbit = {
  example: '[{"ticket":"any"},{"type":"trade","codes":["KRW-BTC"]}]',
  read: (message: unknown): readonly Filter[] | undefined =>
    eachOf(
      listIn(message).filter(({ type }) => type !== undefined),
      ({ type, codes }) => filterIn(type, codes),
    ),
};

/** `book.BTC_USDT.10`, as the exchange has it; the vendor's server takes `BTC_USDT.book`. */
const CRYPTO_COM_CHANNELS = new Set([
  'trade',
  'book',
  'ticker',
  'settlement',
  'index',
  'mark',
  'funding',
  'estimatedfunding',
]);

export const cryptoCom = form(
  '{"method":"subscribe","params":{"channels":["book.BTC_USDT"]}}',
  ({ method, params }) =>
    method === 'subscribe'
      ? eachOf(textsIn(fieldsIn(params)['channels']), (text) => {
          const [first = '', second = ''] = text.split('.');
          if (CRYPTO_COM_CHANNELS.has(first)) return filterOf(first, second === '' ? undefined : [second]);
          return CRYPTO_COM_CHANNELS.has(second) ? filterOf(second, [first]) : undefined;
        })
      : undefined,
);

/** `PERP_BTC_USDT@trade`, or, since June 2026, `trade@PERP_BTC_USDT`. */
export const wooX = form(
  '{"event":"subscribe","topic":"PERP_BTC_USDT@trade"}',
  ({ event, topic, cmd, data }) => {
    const topics = event === 'subscribe' ? topic : cmd === 'SUBSCRIBE' ? data : undefined;
    return eachOf(textsIn(topics), (text) => {
      const [left = '', right] = text.split('@');
      if (right === undefined) return filterOf(left);
      return /^(?:SPOT|PERP)_/.test(left) ? filterOf(right, [left]) : filterOf(left, [right]);
    });
  },
);

export const lighter = form('{"type":"subscribe","channel":"trade/1"}', ({ type, channel }) => {
  const text = textIn(channel);
  if (type !== 'subscribe' || text === undefined) return undefined;
  const { channel: name, symbols } = cutAtFirst(text, '/');
  return [filterOf(name, symbols?.[0] === 'all' ? undefined : symbols)];
});

export const hyperliquid = form(
  '{"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}',
  ({ method, subscription }) => {
    const { type, coin, fast } = fieldsIn(subscription);
    const isFast = type === 'l2Book' && fast === true;
    return method === 'subscribe' ? oneFilter(isFast ? 'fastBook' : type, coin) : undefined;
  },
);
