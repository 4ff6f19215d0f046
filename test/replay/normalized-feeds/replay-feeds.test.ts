import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FeedSource, openFeedSources } from '../../../src/replay/normalized-feeds/open-feed-sources.js';
import { replayFeeds } from '../../../src/replay/normalized-feeds/replay-feeds.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { countSliceRequests, runReplayInProcess } from '../../raw-feeds/replaying.js';
import {
  ALL,
  type NormalizeInput,
  normalizeInProcess,
  normalizeOneByOne,
  parseLines,
  toSources,
} from './normalizing.js';
import { at, bitmexTrade, type FeedEvent, writeSlices } from './slices.js';

const deribitTrade = (seconds: number, price: number): FeedEvent => {
  const instrument_name = 'BTC-PERPETUAL';
  const data = [
    { trade_id: '1', timestamp: 1709251200000, price, instrument_name, direction: 'buy', amount: 1 },
  ];
  return [at(seconds), { params: { channel: `trades.${instrument_name}.raw`, data } }];
};

/** In this thread, and in threads. */
for (const to of [10, 40]) {
  test(`${to} minutes: writes the messages normalized one by one, with and without disconnects`, async (t) => {
    const service = await sandbox(t, { feeds: { breaks: 0.3 } });
    const folder = await tempDir(t);
    for (const withDisconnects of [false, true]) {
      const input = { types: ALL, to, withDisconnects };
      const expected = await normalizeOneByOne(service, folder, input);
      const minutes = { read: 0 };
      const onMinutes = (more: number): void => {
        minutes.read += more;
      };
      const { text, error, messages } = await normalizeInProcess(service, folder, { ...input, onMinutes });
      assert.equal(error, undefined);
      assert.ok(text === expected);
      assert.equal(/"disconnect"/.test(text), withDisconnects);
      assert.equal(messages, expected.split('\n').length - 1);
      assert.equal(minutes.read, to);
    }
  });
}

test('a warm cache needs no requests, key or network; missing minutes are named', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const input = { exchanges: ['bitmex:xbtusd'], types: ALL, to: 20 };
  const first = await normalizeInProcess(service, folder, input);
  assert.equal(first.error, undefined);
  assert.ok(first.messages > 0);
  const asked = service.requests.length;
  for (const offline of [false, true]) {
    const again = await normalizeInProcess(service, folder, { ...input, apiKey: undefined, offline });
    assert.equal(again.error, undefined);
    assert.ok(again.text === first.text);
  }
  const longer = await normalizeInProcess(service, folder, { ...input, to: 25, offline: true });
  assert.equal(longer.error?.code, 'not_exported');
  assert.match(longer.error.message, /^bitmex 2024-03-01T00:20 and 4 more minutes: not in the cache/);
  const keyless = { ...input, from: 1430, to: 1450, apiKey: undefined };
  const refused = await normalizeInProcess(service, folder, keyless);
  assert.equal(refused.error?.code, 'no_access');
  assert.match(refused.error.message, /^bitmex 2024-03-02T00:00 and 9 more minutes: needs an API key/);
  assert.equal(longer.text + refused.text, '');
  assert.equal(service.requests.length, asked);
});

test('accepts symbols of the record in any case and form, and refuses others before any slice request', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const whole = await normalizeInProcess(service, folder, { to: 5 });
  assert.equal(whole.error, undefined);
  const before = countSliceRequests(service);
  const cases: readonly (readonly [NormalizeInput, RegExp])[] = [
    [{ exchanges: ['bitmex:XBTUSDT'] }, /^unknown symbol "XBTUSDT" on bitmex; did you mean XBTUSD\?$/],
    [{ exchanges: ['bitmex:XBT*'] }, /^"XBT\*": --source feeds does not accept globs/],
    [{ exchanges: ['bitmx'] }, /^unknown exchange "bitmx"; did you mean bitmex\?$/],
    [{ exchanges: ['../bitmex'] }, /is not an exchange id/],
    [{ exchanges: ['bitmex'], types: 'option_summary' }, /^bitmex has no option_summary messages$/],
  ];
  for (const offline of [false, true]) {
    for (const [input, message] of cases) {
      const { error, text } = await normalizeInProcess(service, folder, { ...input, offline });
      const isStored = !offline || !/bitmx/.test(String(input.exchanges));
      assert.equal(error?.code, 'usage', String(message));
      if (isStored) assert.match(error.message, message);
      assert.equal(text, '');
    }
  }
  assert.equal(countSliceRequests(service), before);
  const lower = await normalizeInProcess(service, folder, { exchanges: ['bitmex:xbtusd'], to: 5 });
  assert.deepEqual(
    parseLines(lower),
    parseLines(whole).filter((line) => 'symbol' in line && line.symbol === 'XBTUSD'),
  );
});

test('skips types that an exchange lacks, always or at first, with a warning', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const types = 'trade,option_summary';
  const { error, warnings, text } = await normalizeInProcess(service, folder, { types, to: 5 });
  assert.equal(error, undefined);
  assert.deepEqual(warnings, ['bitmex has no option_summary messages; skipping them']);
  assert.equal(text, (await normalizeInProcess(service, folder, { to: 5 })).text);
});

test('merges exchanges by local time, with ties to the first one, although they start and end at different times', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const events = {
    bitmex: [bitmexTrade(1, 1), bitmexTrade(2, 3), bitmexTrade(2, 4), bitmexTrade(200, 8)],
    deribit: [deribitTrade(2, 5), 'break', deribitTrade(3, 6), deribitTrade(100, 7), 'break'],
  } as const;
  const expected = {
    'bitmex,deribit': [1, 3, 4, 5, 'disconnect', 6, 7, 'disconnect', 8],
    'deribit,bitmex': [1, 5, 'disconnect', 3, 4, 6, 7, 'disconnect', 8],
  };
  for (const [names, right] of Object.entries(expected)) {
    // In this thread, and in two.
    for (const to of [4, 8]) {
      const input = { exchanges: names.split(','), withDisconnects: true, to };
      for (const source of toSources(input)) {
        await writeSlices(folder, source, events[source.exchange as keyof typeof events]);
      }
      const replayed = await normalizeInProcess(service, folder, { ...input, offline: true });
      assert.equal(replayed.error, undefined);
      assert.deepEqual(
        parseLines(replayed).map(({ type, price }) => price ?? type),
        right,
      );
    }
  }
  assert.equal(service.requests.length, 0);
});

test('splits more than 50 symbols into several requests with the same messages', async (t) => {
  const service = await sandbox(t, { feeds: { breaks: 0.5 } });
  const folder = await tempDir(t);
  const few = { exchanges: ['bitmex:XBTUSD,ETHUSD'], withDisconnects: true };
  const whole = await normalizeInProcess(service, folder, few);
  assert.equal(whole.error, undefined);
  // Without a stored record, symbols keep their spelling.
  const many = ['ETHUSD', ...Array.from({ length: 98 }, (_, i) => `M${i}`), 'XBTUSD'];
  const input = { exchanges: [`bitmex:${many.join()}`], withDisconnects: true };
  assert.equal(await normalizeOneByOne(service, folder, input), whole.text);
  const other = await tempDir(t);
  await rename(join(folder, 'feeds'), join(other, 'feeds'));
  const split = await normalizeInProcess(service, other, { ...input, offline: true });
  assert.equal(split.error, undefined);
  assert.equal(split.text, whole.text);
});

test("normalizes the messages of both days when an exchange's API changes", async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const minute = (time: string): number => Date.parse(time) * 1000;
  const [source] = toSources({ exchanges: ['bybit'] }) as [FeedSource];
  const period = { start: minute('2023-04-04T23:58Z'), end: minute('2023-04-05T00:02Z') };
  const bybit = { ...source, period };
  const old = {
    symbol: 'BTCUSD',
    price: 1,
    size: 2,
    side: 'Buy',
    trade_id: 'a',
    trade_time_ms: 1680652799000,
  };
  const now = { s: 'BTCUSD', p: '2', v: '3', S: 'Buy', i: 'b', T: 1680652800000 };
  await writeSlices(folder, bybit, [
    ['2023-04-04T23:59:59.0000000Z', { topic: 'trade.BTCUSD', data: [old] }],
    ['2023-04-05T00:00:00.0000000Z', { topic: 'publicTrade.BTCUSD', type: 'snapshot', data: [now] }],
  ]);
  const replayed = await runReplayInProcess(service, folder, { offline: true }, async (here, records) => {
    const sources = await openFeedSources(here.run, [bybit], records);
    assert.equal(sources[0]?.feeds.length, 2);
    await replayFeeds({ ...here, sources });
  });
  assert.equal(replayed.error, undefined);
  assert.deepEqual(
    parseLines(replayed).map(({ price }) => price),
    [1, 2],
  );
});
