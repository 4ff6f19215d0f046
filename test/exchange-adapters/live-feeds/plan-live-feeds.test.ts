import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import {
  CONNECTION_SUPPLEMENTS,
  HTTP_SUPPLEMENTS,
} from '../../../src/exchange-adapters/live-feeds/feed-supplements.js';
import { planLiveFeeds } from '../../../src/exchange-adapters/live-feeds/plan-live-feeds.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { SUBSCRIBING_EXCHANGES } from './exchanges.js';

const NOW = Date.UTC(2026, 10, 22) * 1000;

async function filtersFor(exchange: string, types: string, symbols: readonly string[] | undefined) {
  const { parseMessageType } = await import('../../../src/market/message-type-name.js');
  const { segments } = await planFeed({
    exchange,
    types: types.split(',').map(parseMessageType),
    symbols,
    period: { start: NOW, end: NOW + 1 },
    isLive: true,
  });
  return segments.flatMap(({ filters }) => filters);
}

async function asked(
  exchange: string,
  types: string,
  symbols?: readonly string[],
): Promise<readonly { readonly address: string | undefined; readonly messages: readonly unknown[] }[]> {
  const open = await planLiveFeeds(exchange, await filtersFor(exchange, types, symbols));
  return open().map((feed) => ({
    address: feed.path === undefined ? feed.address : `${feed.address}${feed.path}`,
    messages: feed.subscriptions(),
  }));
}

test("supported exchanges of the vendor's package give addresses and subscriptions without a socket", async () => {
  for (const exchange of SUBSCRIBING_EXCHANGES) {
    const feeds = (await asked(exchange, 'trade,book_change', ['BTC-USDT'])) as readonly {
      readonly address: string | undefined;
      readonly messages: readonly unknown[];
    }[];
    assert.ok(feeds.length > 0, exchange);
    for (const { address, messages } of feeds) {
      if (!exchange.startsWith('kucoin')) assert.match(String(address), /^wss:\/\//, exchange);
      assert.ok(messages.length > 0, exchange);
      assert.doesNotMatch(JSON.stringify(messages), /login|passphrase|signature/, exchange);
    }
  }
});

test("subscribes to the channels of tickhaul's own normalizers in the exchanges' current form", async () => {
  assert.deepEqual(await asked('kraken', 'trade,book_change,book_ticker', ['XBT/USD']), [
    {
      address: 'wss://ws.kraken.com/v2',
      messages: [
        { method: 'subscribe', params: { channel: 'trade', symbol: ['XBT/USD'] } },
        { method: 'subscribe', params: { channel: 'book', symbol: ['XBT/USD'], depth: 1000 } },
        { method: 'subscribe', params: { channel: 'ticker', symbol: ['XBT/USD'], event_trigger: 'bbo' } },
      ],
    },
  ]);
  assert.deepEqual(await asked('bitget-futures', 'trade,liquidation', ['BTCUSDT', 'BTCPERP']), [
    {
      address: 'wss://ws.bitget.com/v3/ws/public',
      messages: [
        {
          op: 'subscribe',
          args: [
            { instType: 'usdt-futures', topic: 'publicTrade', symbol: 'BTCUSDT' },
            { instType: 'usdc-futures', topic: 'publicTrade', symbol: 'BTCPERP' },
          ],
        },
        {
          op: 'subscribe',
          args: [
            { instType: 'usdt-futures', topic: 'liquidation' },
            { instType: 'usdc-futures', topic: 'liquidation' },
            { instType: 'coin-futures', topic: 'liquidation' },
          ],
        },
      ],
    },
  ]);
  const [hyperliquid] = await asked('hyperliquid', 'trade,book_change', ['BTC']);
  assert.deepEqual(hyperliquid, {
    address: 'wss://api.hyperliquid.xyz/ws',
    messages: [
      { method: 'subscribe', subscription: { coin: 'BTC', type: 'trades' } },
      { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC', fast: true } },
    ],
  });
  const [gate] = (await asked('gate-io', 'book_change', ['BTC_USDT'])) as readonly {
    readonly messages: readonly { readonly payload: unknown }[];
  }[];
  assert.deepEqual(
    gate?.messages.map(({ payload }) => payload),
    [['ob.BTC_USDT.400']],
  );
});

test('addresses, streams and pings of the exchanges that only tickhaul knows', async () => {
  const all = 'trade,book_change,derivative_ticker,liquidation,book_ticker';
  const [aster] = await asked('aster-futures', all, ['BTCUSDT', 'ethusdt']);
  const names = ['trade', 'depth@0ms', 'markPrice@1s', 'ticker', 'forceOrder', 'bookTicker'];
  assert.deepEqual(aster, {
    address: 'wss://fstream.asterdex.com/stream',
    messages: names.map((name) => ({
      method: 'SUBSCRIBE',
      params: [`btcusdt@${name}`, `ethusdt@${name}`],
      id: 1,
    })),
  });
  const sent: unknown[] = [];
  for (const [exchange, address] of [
    ['aster', 'wss://sstream.asterdex.com/stream'],
    ['mexc', 'wss://wbs-api.mexc.com/ws'],
    ['mexc-futures', 'wss://contract.mexc.com/edge'],
  ] as const) {
    const open = await planLiveFeeds(exchange, await filtersFor(exchange, 'trade,book_ticker', ['btcusdt']));
    const [feed] = open();
    assert.equal(feed?.address, address);
    feed?.ping?.((message) => sent.push(message));
  }
  assert.deepEqual(sent, [{ method: 'PING' }, { method: 'ping' }]);
  const futures = await asked('mexc-futures', 'derivative_ticker', ['BTC_USDT']);
  assert.deepEqual(futures, [
    {
      address: 'wss://contract.mexc.com/edge',
      messages: [
        { method: 'sub.ticker', param: { symbol: 'BTC_USDT' }, gzip: false },
        { method: 'sub.funding.rate', param: { symbol: 'BTC_USDT' }, gzip: false },
      ],
    },
  ]);
});

test('subscribes to exchanges that the vendor does not know, with their connections and pings', async () => {
  const types = 'trade,book_change,derivative_ticker,liquidation,book_ticker';
  const stats = 'market_stats/all';
  // Trades and liquidations are one channel.
  const channels = ['trade/1', 'order_book/1', stats, 'ticker/1'];
  assert.deepEqual(await asked('lighter', types, ['1']), [
    {
      address: 'wss://mainnet.zklighter.elliot.ai/stream',
      messages: channels.map((channel) => ({ type: 'subscribe', channel })),
    },
  ]);
  // 600 streams need two connections.
  const markets = Array.from({ length: 300 }, (_, i) => String(i));
  const many = await asked('lighter', 'trade,book_change,liquidation', markets);
  const subscribed = many.map(({ messages }) => messages);
  assert.deepEqual(
    subscribed.map(({ length }) => length),
    [500, 100],
  );
  assert.equal(new Set(subscribed.flat().map((message) => JSON.stringify(message))).size, 600);
  const bullish = await planLiveFeeds(
    'bullish',
    await filtersFor('bullish', 'trade,book_change,derivative_ticker,book_ticker', ['BTC-USDC-PERP']),
  );
  assert.deepEqual(
    bullish().map(({ address, path }) => `${address}${path}`),
    ['market-data/trades', 'market-data/orderbook', 'market-data/tick', 'index-data'].map(
      (path) => `wss://api.exchange.bullish.com/trading-api/v1/${path}`,
    ),
  );
  const topics = bullish().map((feed) =>
    feed.subscriptions().map((message) => (message as { readonly params: unknown }).params),
  );
  assert.deepEqual(topics, [
    [{ topic: 'anonymousTrades', symbol: 'BTC-USDC-PERP' }],
    [
      { topic: 'l2Orderbook', symbol: 'BTC-USDC-PERP' },
      { topic: 'l1Orderbook', symbol: 'BTC-USDC-PERP' },
    ],
    [{ topic: 'tick', symbol: 'BTC-USDC-PERP' }],
    [{ topic: 'indexPrice', assetSymbol: 'BTC' }],
  ]);
  const sent: unknown[] = [];
  bullish()[0]?.ping?.((message) => sent.push(message));
  assert.deepEqual(sent, [
    { jsonrpc: '2.0', type: 'command', method: 'keepalivePing', params: {}, id: 'ping' },
  ]);

  // One message selects all channels of up to 500 tokens.
  const tokens = Array.from({ length: 501 }, (_, i) => String(i));
  const polymarket = (await asked('polymarket', 'trade,book_change,book_ticker', tokens)) as readonly {
    readonly address: string;
    readonly messages: readonly { readonly assets_ids: readonly string[] }[];
  }[];
  const [first] = polymarket;
  assert.equal(first?.address, 'wss://ws-subscriptions-clob.polymarket.com/ws/market');
  assert.deepEqual(
    polymarket.map(({ messages }) => messages.map(({ assets_ids }) => assets_ids.length)),
    [[500], [1]],
  );
  assert.deepEqual(polymarket[1]?.messages, [
    { type: 'market', assets_ids: ['500'], initial_dump: true, level: 2, custom_feature_enabled: true },
  ]);
});

test('European options have a connection for each kind of channel, and a stream for each expiration', async () => {
  const symbols = ['BTC-251219-89000-C', 'BTC-251226-90000-P', 'ETH-251219-3000-C'];
  assert.deepEqual(await asked('binance-european-options', 'option_summary,book_change', symbols), [
    {
      address: 'wss://fstream.binance.com/public/stream',
      messages: [
        {
          method: 'SUBSCRIBE',
          params: symbols.map((symbol) => `${symbol.toLowerCase()}@depth20@100ms`),
          id: 1,
        },
        {
          method: 'SUBSCRIBE',
          params: symbols.map((symbol) => `${symbol.toLowerCase()}@optionTicker`),
          id: 3,
        },
      ],
    },
    {
      address: 'wss://fstream.binance.com/market/stream',
      messages: [
        { method: 'SUBSCRIBE', params: ['btcusdt@optionMarkPrice', 'ethusdt@optionMarkPrice'], id: 2 },
        {
          method: 'SUBSCRIBE',
          params: [
            'btcusdt@optionOpenInterest@251219',
            'btcusdt@optionOpenInterest@251226',
            'ethusdt@optionOpenInterest@251219',
          ],
          id: 4,
        },
      ],
    },
  ]);
});

test('ignores credentials of other tools', async (t) => {
  const names = ['DERIBIT_API_CLIENT_ID', 'DERIBIT_API_CLIENT_SECRET', 'OKX_API_KEY'];
  for (const name of names) process.env[name] = 'secret';
  cleanUp(t, () => {
    for (const name of names) delete process.env[name];
  });
  const sent: unknown[] = [];
  for (const exchange of ['deribit', 'okex-swap']) {
    const open = await planLiveFeeds(
      exchange,
      await filtersFor(exchange, 'trade,book_change', ['BTC-PERPETUAL']),
    );
    for (const feed of open()) {
      feed.onOpen((message) => sent.push(message));
      sent.push(feed.address, ...feed.subscriptions());
    }
  }
  assert.doesNotMatch(JSON.stringify(sent), /secret|login|auth|raw/);
});

test('refuses an exchange that requires symbols, and an unknown one', async () => {
  await assert.rejects(
    asked('deribit', 'trade'),
    /^TickhaulError: deribit requires symbols; list some, such as deribit:SYMBOL$/,
  );
  await assert.rejects(
    asked('gemini', 'trade'),
    /^TickhaulError: gemini requires symbols; list some, such as gemini:SYMBOL$/,
  );
  await assert.rejects(
    planLiveFeeds('nowhere', []),
    /^TickhaulError: nowhere: the real-time API is unknown$/,
  );
});

test('requests the supplements that the normalizers wait for', async () => {
  for (const [exchange, supplements] of [
    ...Object.entries(HTTP_SUPPLEMENTS),
    ...Object.entries(CONNECTION_SUPPLEMENTS),
  ]) {
    const types = exchange.includes('options') || exchange.startsWith('huobi-dm') || supplements.length > 1;
    const names = types ? 'book_change,derivative_ticker,option_summary' : 'book_change';
    const filters = await filtersFor(exchange, names, ['BTC-USDT']).catch(() =>
      filtersFor(exchange, 'book_change', ['BTC-USDT']),
    );
    const channels = new Set(filters.map(({ channel }) => channel));
    for (const { channel } of supplements) assert.ok(channels.has(channel), `${exchange} ${channel}`);
  }
});
