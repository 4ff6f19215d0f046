import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedLines } from '../../src/exchange-adapters/feed-lines.js';
import { planFeed } from '../../src/exchange-adapters/feed-plan.js';
import { UnknownForms } from '../../src/exchange-adapters/unknown-forms.js';
import { LineBuffer } from '../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../src/market/message-type-name.js';

/** The types of the lines and the warnings of a feed with some messages. */
async function readFeed(
  exchange: string,
  types: string,
  at: string,
  messages: readonly unknown[],
  isLive = false,
) {
  const parsed = types.split(',').map(parseMessageType);
  const start = Date.parse(at) * 1000;
  const plan = await planFeed({
    exchange,
    types: parsed,
    period: { start, end: start + 60_000_000 },
    isLive,
  });
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const lines = new FeedLines({ exchange, types: parsed, withDisconnects: false, plan, warn, isLive });
  const out = new LineBuffer(1);
  for (const message of messages) {
    lines.addMessage('2026-08-01T00:00:01.0000000Z', JSON.stringify(message), out);
  }
  lines.finish();
  const text = Buffer.from(out.bytes.subarray(0, out.length)).toString();
  return {
    lines: text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).type),
    warnings,
  };
}

const krakenTrade = (item: object): object => ({
  channel: 'trade',
  type: 'update',
  data: [{ symbol: 'BTC/USD', side: 'buy', price: 1, qty: 2, trade_id: 3, timestamp: 'x', ...item }],
});

test('own normalizers: a message without a price or symbol is left out, and the others go on', async () => {
  const messages = [
    krakenTrade({ price: undefined }),
    krakenTrade({}),
    krakenTrade({ symbol: undefined }),
    { channel: 'book', type: 'update', data: [{ symbol: 'BTC/USD', bids: [{ price: 1 }], asks: [] }] },
  ];
  const { lines, warnings } = await readFeed('kraken', 'trade,book_change', '2026-08-01', messages);
  assert.deepEqual(lines, ['trade']);
  assert.deepEqual(warnings, [
    'kraken: the message of 2026-08-01T00:00:01.0000000Z in channel trade has an unknown form (its trade has no price or amount); leaving out all such messages',
    'kraken: the message of 2026-08-01T00:00:01.0000000Z in channel book has an unknown form (a level has no price or amount); leaving out all such messages',
    'kraken: left out 2 messages of an unknown form in channel trade',
    'kraken: left out 1 message of an unknown form in channel book',
  ]);
});

test("the vendor's mappers: a level without an amount is left out, and the others go on", async () => {
  const deribit = (channel: string, data: object): object => ({
    jsonrpc: '2.0',
    method: 'subscription',
    params: { channel, data },
  });
  const book = (level: readonly unknown[]): object =>
    deribit('book.X.raw', {
      type: 'snapshot',
      timestamp: 1,
      instrument_name: 'X',
      change_id: 1,
      bids: [level],
      asks: [],
    });
  for (const level of [
    ['new', 5],
    ['new', 5, null],
  ]) {
    const { lines, warnings } = await readFeed('deribit', 'book_change', '2026-08-01', [
      book(level),
      book(['new', 5, 1]),
    ]);
    assert.deepEqual(lines, ['book_change']);
    assert.match(warnings[0] ?? '', /a level has no price or amount/);
  }
});

test('what one normalizer cannot read, another one may', async () => {
  const message = { topic: 'trade@PERP_ETH_USDT', data: { s: 'PERP_ETH_USDT', px: '5', ts: 1, src: 1 } };
  const { lines, warnings } = await readFeed('woo-x', 'trade,derivative_ticker', '2026-08-01', [message]);
  assert.deepEqual(lines, ['derivative_ticker']);
  assert.equal(warnings.length, 2);
});

test('data that no normalizer knows is warned of; answers, heartbeats and snapshots of trades are not', async () => {
  const control = [
    { event: 'subscribe', arg: { channel: 'books', instId: 'BTC-USDT' } },
    { id: 1, result: null },
    { id: 7, type: 'welcome' },
    { success: true, ret_msg: '' },
    { channel: 'heartbeat' },
    { channel: 'trade', type: 'snapshot', data: [] },
    [5, 'hb', 1],
  ];
  const quiet = await readFeed('kraken', 'trade', '2026-08-01', control);
  assert.deepEqual(quiet, { lines: [], warnings: [] });
  const unknown = [{ channel: 'level9', data: [1] }, { surprise: [1] }, 5];
  const { warnings } = await readFeed('kraken', 'trade', '2026-08-01', unknown);
  assert.deepEqual(
    warnings.slice(2).map((text) => text.replace(/^.* in /, '')),
    ['channel level9', 'an unnamed channel'],
  );
});

test('values that do not change, and what a symbol lacks, are no unknown forms', async () => {
  const ticker = {
    topic: 'markprice@PERP_ETH_USDT',
    data: { s: 'PERP_ETH_USDT', px: '5', ts: 1_782_770_880_000 },
  };
  const other = {
    topic: 'trade@PERP_ETH_USDT',
    data: { s: 'PERP_ETH_USDT', px: '5', sx: '1', src: 0, ts: 1 },
  };
  const again = await readFeed('woo-x', 'trade,derivative_ticker', '2026-08-01', [ticker, ticker, other]);
  assert.deepEqual(again.warnings, []);
  const sides = await readFeed('gemini', 'book_ticker', '2026-08-01', [{ u: 1, E: 1, s: 'btcusd' }]);
  assert.deepEqual(sides, { lines: [], warnings: [] });
});

test("a live change of Binance's futures continues the snapshot, or ends the connection with the numbers", async () => {
  const read = (U: number, pu: number) => {
    const change = { e: 'depthUpdate', s: 'BTCUSDT', E: 1, T: 1, U, u: U + 5, pu, b: [], a: [] };
    const snapshot = { lastUpdateId: 100, bids: [], asks: [], T: 1 };
    const messages = [
      { stream: 'btcusdt@depthSnapshot', data: snapshot },
      { stream: 'btcusdt@depth@0ms', data: change },
    ];
    return readFeed('binance-futures', 'book_change', '2024-03-01', messages, true);
  };
  for (const [U, pu] of [
    [98, 90],
    [104, 100],
  ] as const) {
    assert.deepEqual((await read(U, pu)).lines, ['book_change', 'book_change'], `${U} after ${pu}`);
  }
  await assert.rejects(read(111, 110), (error) => {
    assert.match(String(error), /^TickhaulError: binance-futures: .* cannot be normalized \(.*overlap/);
    assert.match(String(error), /BTCUSDT.*"u":116,"pu":110.*lastUpdateId: 100/);
    return true;
  });
});

test('channels beyond the tenth are counted together', () => {
  const warnings: string[] = [];
  const forms = new UnknownForms('one', (message) => warnings.push(message));
  for (let i = 0; i < 30; i++) forms.add(`channel ${i}`, 'now', 'why');
  forms.finish();
  forms.finish();
  assert.equal(warnings.length, 22);
  assert.equal(warnings.at(-1), 'one: left out 20 messages of an unknown form in other channels');
});
