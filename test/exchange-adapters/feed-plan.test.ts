import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeedPlan, planFeed } from '../../src/exchange-adapters/feed-plan.js';
import { EXCHANGE_MESSAGE_TYPES, parseMessageType } from '../../src/market/message-type-name.js';

const DAY = 86_400_000_000;
const at = (time: string): number => Date.parse(time) * 1000;

function plan(
  exchange: string,
  types: string,
  from: string,
  to: string,
  symbols?: string[],
): Promise<FeedPlan> {
  const period = { start: at(from), end: at(to) };
  return planFeed({ exchange, types: types.split(',').map(parseMessageType), symbols, period });
}

/** Channels by the start of their segment. */
function channels({ segments }: FeedPlan): readonly string[] {
  return segments.map(({ start, filters }) => {
    const time = new Date(start / 1000).toISOString().replace(/T00:00:00.000Z$/, '');
    return `${time} ${filters.map(({ channel }) => channel).join()}`;
  });
}

test('plans one segment if nothing changes, with the filters of all types', async () => {
  const { segments, missingTypes } = await plan(
    'binance-futures',
    'trade_bar_1m,trade,book_snapshot_5_1s,liquidation',
    '2024-03-01T10:00Z',
    '2024-03-04',
    ['btcusdt', 'ETHUSDT'],
  );
  assert.deepEqual(missingTypes, []);
  assert.equal(segments.length, 1);
  const [segment] = segments;
  assert.deepEqual([segment?.start, segment?.end], [at('2024-03-01T10:00Z'), at('2024-03-04')]);
  assert.deepEqual(
    segment?.filters,
    ['trade', 'depth', 'depthSnapshot', 'forceOrder'].map((channel) => ({
      channel,
      symbols: ['btcusdt', 'ethusdt'],
    })),
  );
  assert.equal(segment?.normalizers().length, 3);
});

test('filters have no symbols if none are requested', async () => {
  for (const symbols of [undefined, []]) {
    const { segments } = await plan('bitmex', 'trade', '2024-03-01', '2024-03-02', symbols);
    assert.deepEqual(segments[0]?.filters, [{ channel: 'trade' }]);
  }
});

test("splits the period at the midnights of an exchange's API changes", async () => {
  assert.deepEqual(channels(await plan('bybit', 'trade', '2023-04-03', '2023-04-08')), [
    '2023-04-03 trade',
    '2023-04-05 publicTrade',
  ]);
  assert.deepEqual(
    channels(await plan('okex-swap', 'trade,book_change', '2021-12-22T23:59Z', '2026-06-01')),
    [
      '2021-12-22T23:59:00.000Z swap/trade,swap/depth_l2_tbt',
      '2021-12-23 trades,books-l2-tbt',
      '2023-02-25 trades,books',
      '2023-03-09 trades,books-l2-tbt',
      '2023-10-19 trades-all,books-l2-tbt',
      '2026-05-21 trades-all,books',
    ],
  );
  assert.deepEqual(channels(await plan('kraken', 'book_ticker', '2026-07-09', '2026-07-12')), [
    '2026-07-09 spread',
    '2026-07-10 ticker',
  ]);
});

test('splits the period at an edge of an era within a day, and once if it is at midnight', async () => {
  const starts = async (exchange: string, type: string, from: string, to: string) =>
    (await plan(exchange, type, from, to)).segments.map(({ start }) =>
      new Date(start / 1000).toISOString().slice(0, 16),
    );
  assert.deepEqual(await starts('woo-x', 'trade', '2026-06-29', '2026-07-02'), [
    '2026-06-29T00:00',
    '2026-06-29T22:02',
  ]);
  assert.deepEqual(await starts('okex-swap', 'derivative_ticker', '2023-04-09', '2023-04-12'), [
    '2023-04-09T00:00',
    '2023-04-10T08:40',
  ]);
  assert.deepEqual(await starts('okex-swap', 'derivative_ticker', '2023-04-10T08:40Z', '2023-04-10T09:00Z'), [
    '2023-04-10T08:40',
  ]);
  assert.deepEqual(await starts('gemini', 'trade', '2026-07-23', '2026-07-25'), [
    '2026-07-23T00:00',
    '2026-07-24T00:00',
  ]);
});

test('a normalizer that reads the same channels differently starts a segment too', async () => {
  const { segments } = await plan('cryptofacilities', 'derivative_ticker', '2022-09-27', '2022-10-02');
  assert.deepEqual(
    segments.map(({ start }) => new Date(start / 1000).toISOString().slice(0, 10)),
    ['2022-09-27', '2022-09-29'],
  );
});

test("uses tickhaul's own normalizers from the day on which the feed changed", async () => {
  for (const [exchange, type, day] of [
    ['okex', 'book_change', '2026-05-21'],
    ['okex-futures', 'book_change', '2026-05-21'],
    ['bitget', 'trade', '2026-04-28'],
    ['bitget-futures', 'derivative_ticker', '2026-04-28'],
    ['gate-io', 'book_change', '2025-08-01'],
    ['hyperliquid', 'book_change', '2026-06-17'],
    ['kraken', 'trade', '2026-07-10'],
    ['binance-european-options', 'option_summary', '2025-12-17'],
    ['gemini', 'book_change', '2026-07-24'],
  ] as const) {
    const period = { start: at(day) - DAY, end: at(day) + DAY };
    const { segments } = await planFeed({ exchange, types: [parseMessageType(type)], period });
    assert.deepEqual(
      segments.map(({ start }) => start),
      [at(day) - DAY, at(day)],
      exchange,
    );
  }
});

test('reports missing types if another type exists, and refuses them otherwise', async () => {
  const { missingTypes, segments } = await plan(
    'binance',
    'trade,derivative_ticker',
    '2024-03-01',
    '2024-03-02',
  );
  assert.deepEqual(missingTypes, ['derivative_ticker']);
  assert.equal(segments[0]?.normalizers().length, 1);
  await assert.rejects(plan('binance', 'liquidation,derivative_ticker', '2024-03-01', '2024-03-02'), {
    code: 'usage',
    message: 'binance has no derivative_ticker, liquidation messages',
  });
  for (const inherited of ['constructor', '__proto__', 'toString'])
    await assert.rejects(plan(inherited, 'trade', '2024-03-01', '2024-03-02'), { code: 'usage' });
});

test('plans all types over years', async () => {
  const types = Object.keys(EXCHANGE_MESSAGE_TYPES).map(parseMessageType);
  const period = { start: at('2020-06-01'), end: at('2022-10-01') };
  for (const exchange of ['huobi', 'delta', 'poloniex', 'phemex', 'okcoin', 'okex-options']) {
    const { segments } = await planFeed({ exchange, types, period });
    assert.ok(segments.length > 0 && segments.length < 10, `${exchange}: ${segments.length}`);
    assert.ok(segments.every(({ filters }) => filters.length > 0));
  }
});

test('plans thousands of symbols over all times in little memory', async () => {
  const symbols = Array.from({ length: 6000 }, (_, at) => `COIN${at}USDT`);
  const types = 'trade,book_change,derivative_ticker,liquidation,book_ticker';
  const { segments } = await plan('okex-swap', types, '0100-01-01', '2026-06-01', symbols);
  assert.equal(segments[0]?.start, at('0100-01-01'));
  assert.deepEqual(
    segments.slice(1).map(({ start }) => new Date(start / 1000).toISOString().slice(0, 10)),
    [
      ...['2020-02-08', '2021-12-23', '2022-05-06', '2023-02-25'],
      ...['2023-03-09', '2023-04-10', '2023-10-19', '2026-05-21'],
    ],
  );
  for (const { filters } of segments)
    for (const filter of filters) assert.equal(filter.symbols?.length, symbols.length);
});

test('refuses an unknown exchange with the nearest known ones, also without the service', async () => {
  const refused = (exchange: string): Promise<FeedPlan> =>
    plan(exchange, 'trade', '2024-03-01', '2024-03-02');
  await assert.rejects(refused('bitmx'), {
    code: 'usage',
    message: 'bitmx has no trade messages; did you mean bitmex?',
  });
  await assert.rejects(refused('nosuch'), { code: 'usage', message: 'nosuch has no trade messages' });
});
