import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { LineSink } from '../../../src/market/lines/line-buffer.js';
import { type FeedSource, openFeedSources } from '../../../src/replay/normalized-feeds/open-feed-sources.js';
import { createFeedThreads, replayFeeds } from '../../../src/replay/normalized-feeds/replay-feeds.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { listCachedFiles, runReplayInProcess } from '../../raw-feeds/replaying.js';
import { ALL, normalizeInProcess, parseLines, toSources } from './normalizing.js';
import { at, bitmexTrade, writeSlices } from './slices.js';

for (const to of [4, 20]) {
  test(`${to} minutes: invalid JSON ends the run after all lines before it`, async (t) => {
    const service = await sandbox(t);
    const folder = await tempDir(t);
    const input = { to, offline: true, types: 'trade,trade_bar_1ticks' };
    const [source] = toSources(input) as [FeedSource];
    await writeSlices(folder, source, [
      bitmexTrade(1, 1),
      bitmexTrade(61, 2),
      [at(70), '{"table":"trade","data":['],
      bitmexTrade(71, 4),
      bitmexTrade(180, 5),
    ]);
    const replayed = await normalizeInProcess(service, folder, input);
    assert.equal(replayed.error?.code, 'corrupt');
    assert.match(replayed.error.message, /not valid JSON/);
    assert.deepEqual(
      parseLines(replayed).map(({ type, price }) => price ?? type),
      [1, 'trade_bar', 2, 'trade_bar'],
    );
    assert.equal(replayed.messages, 4);
  });

  test(`${to} minutes: messages of an unknown form are left out whole, with warnings`, async (t) => {
    const service = await sandbox(t);
    const folder = await tempDir(t);
    const input = { to, offline: true, types: 'trade,trade_bar_1ticks' };
    const [source] = toSources(input) as [FeedSource];
    const halfWay = [{ timestamp: at(70), symbol: 'XBTUSD', side: 'Sell', size: 1, price: 3 }, null];
    const broken = { table: 'trade', action: 'insert', data: halfWay };
    await writeSlices(folder, source, [
      bitmexTrade(61, 2),
      [at(70), broken],
      [at(71), { table: 'trade', action: 'insert' }],
      bitmexTrade(72, 4),
    ]);
    const replayed = await normalizeInProcess(service, folder, input);
    assert.equal(replayed.error, undefined);
    assert.deepEqual(
      parseLines(replayed).map(({ type, price }) => price ?? type),
      [2, 'trade_bar', 4, 'trade_bar'],
    );
    const [first, ...rest] = replayed.warnings;
    assert.match(
      first ?? '',
      /^bitmex: the message of 2024-03-01T00:01:10.1234567Z in channel trade has an unknown form \(.*\); leaving out all such messages$/,
    );
    assert.deepEqual(rest, ['bitmex: left out 2 messages of an unknown form in channel trade']);
  });
}

test('a replay whose reader leaves does not disturb the next one in its thread', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  const threads = createFeedThreads(1);
  cleanUp(t, () => threads.close());
  const input = { types: ALL, bufferBytes: 4096, writeBytes: 4096 };
  const replay = (output?: LineSink) =>
    runReplayInProcess(service, folder, input, async (here, records) => {
      const sources = await openFeedSources(here.run, toSources(input), records);
      await replayFeeds({ ...here, ...(output && { output }), sources, threads });
    });
  const right = await replay();
  assert.equal(right.error, undefined);
  for (let round = 0; round < 5; round++) {
    const left = await replay({
      write: () => Promise.reject(new TickhaulError('interrupted', 'the reader left')),
    });
    assert.equal(left.error?.message, 'the reader left');
    const next = await replay();
    assert.equal(next.error, undefined);
    assert.ok(next.text === right.text);
  }
});

test('random faults change no byte; a permanent failure of a slice ends the run after all lines before it', async (t) => {
  const whole = await sandbox(t);
  const input = { types: ALL, to: 30, withDisconnects: true };
  const right = await normalizeInProcess(whole, await tempDir(t), input);
  const faults = {
    reset: 0.1,
    truncate: 0.1,
    'bit-flip': 0.1,
    '503': 0.1,
    unterminated: 0.1,
    'short-slice': 0.2,
  };
  const shaken = await sandbox(t, { feeds: { faults, suggestedMinutes: 3 } });
  const healed = await normalizeInProcess(shaken, await tempDir(t), { ...input, retries: 30 });
  assert.equal(healed.error, undefined);
  assert.ok(healed.text === right.text);

  // The key covers the first day only, so the second is refused.
  const access = { exchange: 'bitmex', accessType: 'api-key', symbols: [], dataPlan: 'pro' };
  const service = await sandbox(t, {
    keyAccess: [{ ...access, from: '2024-03-01T00:00:00.000Z', to: '2024-03-02T00:00:00.000Z' }],
  });
  const folder = await tempDir(t);
  const cut = await normalizeInProcess(service, folder, { types: ALL, from: 1420, to: 1500 });
  assert.equal(cut.error?.code, 'no_access');
  assert.match(cut.error.message, /^bitmex 2024-03-0[12]T\d\d:\d\d: /);
  const day = await normalizeInProcess(service, folder, { types: ALL, from: 1420, to: 1440 });
  assert.equal(day.error, undefined);
  const lines = parseLines(cut);
  assert.ok(day.text.startsWith(cut.text));
  assert.ok((lines.at(-1)?.localTimestamp ?? '') > '2024-03-01T23:50');
  assert.ok((await listCachedFiles(folder)).every((name) => name.includes('/2024/03/01/')));
});

test('stopping a replay leaves whole lines', async (t) => {
  const service = await sandbox(t);
  const folder = await tempDir(t);
  for (const to of [10, 60]) {
    const aborting = new AbortController();
    const stopped = await normalizeInProcess(service, folder, {
      to,
      signal: aborting.signal,
      onMinutes: () => aborting.abort(new TickhaulError('interrupted', 'interrupted')),
    });
    assert.equal(stopped.error?.code, 'interrupted');
    parseLines(stopped);
  }
});
