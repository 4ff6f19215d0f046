import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { normalizeInProcess, parseLines } from '../replay/normalized-feeds/normalizing.js';
import { ask, serveHere, withOptions } from '../server/serving.js';
import { replayInProcess, START } from './replaying.js';
import { type StoryEvent, startStoryService } from './story.js';

const trade = (seconds: number): StoryEvent => {
  const data = [{ timestamp: '2024-03-01T00:00:00.000Z', symbol: 'XBTUSD', side: 'Buy', size: 1, price: 2 }];
  return {
    ms: seconds * 1000,
    channel: 'trade',
    symbol: 'XBTUSD',
    message: { table: 'trade', action: 'insert', data },
  };
};
const breakAt = (seconds: number): StoryEvent => ({ ms: seconds * 1000 });

/** The seconds of raw lines, and disconnects. */
function secondsOf(text: string): readonly (number | 'break')[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [, minutes, seconds] = /T00:(\d\d):(\d\d)/.exec(line) ?? [];
      return line === '' ? 'break' : Number(minutes) * 60 + Number(seconds);
    });
}

for (const isOneMember of [false, true]) {
  test(`${isOneMember ? 'one member' : 'a member a minute'}: a disconnect is in the period of the message before it, for any slices`, async (t) => {
    const service = await startStoryService(t, await sandbox(t));
    Object.assign(service, { isOneMember, suggested: 10 });
    service.story = { first: 0, events: [trade(10), trade(290), breakAt(295), trade(310), breakAt(350)] };
    const folder = await tempDir(t);
    const periods: readonly (readonly [number, number, readonly unknown[]])[] = [
      [0, 8, [10, 290, 'break', 310, 'break']],
      [0, 5, [10, 290, 'break']],
      [0, 6, [10, 290, 'break', 310, 'break']],
      [4, 5, [290, 'break']],
      [5, 7, [310, 'break']],
      [1, 4, []],
      [6, 8, []],
    ];
    for (const [from, to, expected] of periods) {
      for (const cacheFolder of [folder, await tempDir(t)]) {
        const { text } = await replayInProcess(service, cacheFolder, { from, to, withDisconnects: true });
        assert.deepEqual(secondsOf(text), expected, `${from} to ${to}`);
      }
    }
  });
}

test('a disconnect after the last minute is in the next period, if slices show minutes', async (t) => {
  const service = await startStoryService(t, await sandbox(t));
  service.suggested = 10;
  service.story = { first: 0, events: [trade(10), breakAt(305), trade(310)] };
  const folder = await tempDir(t);
  for (const [from, to, expected] of [
    [0, 8, [10, 'break', 310]],
    [0, 5, [10]],
    [5, 8, [310]],
  ] as const) {
    for (const cacheFolder of [folder, await tempDir(t)]) {
      const { text } = await replayInProcess(service, cacheFolder, { from, to, withDisconnects: true });
      assert.deepEqual(secondsOf(text), expected);
    }
  }
});

test('the server’s endpoints output the same disconnect', async (t) => {
  const service = await startStoryService(t, await sandbox(t));
  service.suggested = 10;
  service.story = { first: 0, events: [trade(10), trade(290), breakAt(295), trade(310)] };
  const server = await serveHere(t, service, await tempDir(t));
  const common = { exchange: 'bitmex', from: '2024-03-01' };
  const types = { symbols: ['XBTUSD'], dataTypes: ['trade'], withDisconnectMessages: true };
  const filters = [{ channel: 'trade', symbols: ['XBTUSD'] }];
  for (const to of ['2024-03-01T00:06', '2024-03-01T00:05']) {
    const last = to.endsWith('5') ? [] : [310];
    const raw = { ...common, to, filters, withDisconnects: true };
    const { text } = await ask(server.httpPort, withOptions('/replay', raw));
    assert.deepEqual(secondsOf(text), [10, 290, 'break', ...last]);
    const options = withOptions('/replay-normalized', { ...common, to, ...types });
    const normalized = (await ask(server.httpPort, options)).text;
    const given = normalized.match(/"type":"\w+"/g)?.map((type) => type.slice(8, -1));
    assert.deepEqual(given, ['trade', 'trade', 'disconnect', ...last.map(() => 'trade')]);
  }
});

for (const isOneMember of [false, true]) {
  test(`${isOneMember ? 'one member' : 'a member a minute'}: a disconnect before the midnight of an API change is output once`, async (t) => {
    const service = await startStoryService(t, await sandbox(t));
    Object.assign(service, { isOneMember, suggested: 10 });
    const first = parseDay('2025-02-26') * 1440 - START - 2;
    const symbol = 'BTCUSDT';
    const event = (seconds: number, channel: string, data: unknown): StoryEvent => {
      const message = { topic: `${channel}.${symbol}`, type: 'snapshot', ts: 1740528000000, data };
      return { ms: seconds * 1000, channel, symbol, message };
    };
    const tradeAt = (seconds: number): StoryEvent =>
      event(seconds, 'publicTrade', [{ s: symbol, p: '1', v: '1', S: 'Buy', i: 'a', T: 1740528000000 }]);
    const liquidated = { symbol, price: '1', updatedTime: 1740528000000, size: '1', side: 'Buy' };
    const events = [tradeAt(70), breakAt(80), event(100, 'liquidation', liquidated), tradeAt(130)];
    service.story = { first, events };
    const folder = await tempDir(t);
    const range = { from: first, to: first + 4, withDisconnects: true };
    // The cache now also has the second day's channels for the first day.
    const filters = ['allLiquidation', 'publicTrade'].map((channel) => ({ channel, symbols: [symbol] }));
    await replayInProcess(service, folder, { ...range, exchange: 'bybit', filters });
    const replayed = await normalizeInProcess(service, folder, {
      ...range,
      exchanges: [`bybit:${symbol}`],
      types: 'trade,liquidation',
    });
    assert.equal(replayed.error, undefined);
    const types = parseLines(replayed).map(({ type }) => type);
    assert.deepEqual(types, ['trade', 'disconnect', 'liquidation', 'trade']);
  });
}
