import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { FeedSource } from '../../../src/replay/feeds/feed-source.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { normalizeInProcess, toSources } from './normalizing.js';
import { type FeedEvent, writeSlices } from './slices.js';

const TYPES = 'trade,book_change,derivative_ticker,quote,trade_bar_10s,book_snapshot_3_1s';

/** Enough minutes for a replay in threads. */
const MINUTES = 20;

const trade = (seconds: number, symbol: string, price: unknown, name = symbol.toLowerCase()): FeedEvent => {
  const time = new Date(Date.parse('2024-03-01T00:00:00Z') + seconds * 1000).toISOString();
  const data = { e: 'trade', s: symbol, t: 1, p: price, q: '1', T: 1709251200000, m: true };
  return [time.replace('Z', '1234Z'), { stream: `${name}@trade`, data }];
};

test('several threads share the symbols of an exchange and write the same bytes, also next to another exchange', async (t) => {
  const faults = { reset: 0.1, truncate: 0.1, '503': 0.1, 'short-slice': 0.2 };
  const service = await sandbox(t, { rows: 2000, feeds: { breaks: 0.3, faults } });
  const folder = await tempDir(t);
  const binance = 'binance-futures:BTCUSDT,dogeusdt,ETHUSDT,币安人生USDT';
  const input = { types: TYPES, to: MINUTES, withDisconnects: true, retries: 30 };
  const expected = await normalizeInProcess(service, folder, {
    ...input,
    exchanges: [binance],
    processors: 1,
  });
  assert.equal(expected.error, undefined);
  assert.match(expected.text, /"disconnect"/);
  const minutes = { read: 0 };
  const onMinutes = (more: number): void => {
    minutes.read += more;
  };
  const shared = await normalizeInProcess(service, folder, {
    ...input,
    exchanges: [binance],
    processors: 3,
    onMinutes,
  });
  assert.equal(shared.error, undefined);
  assert.ok(shared.text === expected.text);
  assert.equal(minutes.read, MINUTES);
  const exchanges = ['bitmex', binance];
  const alone = await normalizeInProcess(service, folder, { ...input, exchanges, processors: 1 });
  const together = await normalizeInProcess(service, folder, { ...input, exchanges, processors: 3 });
  assert.equal(together.error, undefined);
  assert.ok(together.text === alone.text);
});

test('a message of two symbols falls back to one thread, and a corrupt message ends the replay', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const input = {
    exchanges: ['binance-futures:BTCUSDT,ETHUSDT'],
    types: 'trade,trade_bar_3ticks',
    to: MINUTES,
    withDisconnects: true,
    offline: true,
  };
  const [source] = toSources(input) as [FeedSource];
  const many = Array.from({ length: 600 }, (_, at) =>
    trade(at, at % 3 ? 'BTCUSDT' : 'ETHUSDT', String(at + 1)),
  );
  const broken = trade(700, 'BTCUSDT', '1');
  const cases: readonly (readonly [readonly FeedEvent[], string | undefined])[] = [
    [[...many, trade(650, 'ETHUSDT', '7', 'btcusdt'), 'break', trade(651, 'BTCUSDT', '8')], undefined],
    [[...many, [broken[0] as string, '{"stream":"btcusdt@trade","data":null}']], 'corrupt'],
  ];
  for (const [events, code] of cases) {
    await writeSlices(folder, source, events);
    const minutes = { read: 0 };
    const onMinutes = (more: number): void => {
      minutes.read += more;
    };
    const alone = await normalizeInProcess(service, folder, { ...input, processors: 1 });
    const shared = await normalizeInProcess(service, folder, { ...input, processors: 2, onMinutes });
    assert.equal(alone.error?.code, code);
    assert.equal(shared.error?.message, alone.error?.message);
    assert.ok(alone.messages >= 700, `${alone.messages} messages`);
    assert.equal(shared.text, alone.text);
    assert.ok(minutes.read <= MINUTES);
  }
  assert.equal(service.requests.length, 0);
});

test('stopping shared threads leaves whole lines', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const aborting = new AbortController();
  const stopped = await normalizeInProcess(service, folder, {
    exchanges: ['binance-futures:BTCUSDT,ETHUSDT'],
    to: 60,
    processors: 2,
    signal: aborting.signal,
    onMinutes: () => aborting.abort(new TickhaulError('interrupted', 'interrupted')),
  });
  assert.equal(stopped.error?.code, 'interrupted');
  assert.ok(stopped.text === '' || stopped.text.endsWith('\n'));
});
