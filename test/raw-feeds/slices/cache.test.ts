import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { TickhaulError } from '../../../src/base/errors.js';
import { loadZstd } from '../../../src/format/compressor.js';
import { filterKeys, openFeed } from '../../../src/raw-feeds/open-feed.js';
import { clearSlices } from '../../../src/raw-feeds/slices/slice-cache.js';
import { replayRaw } from '../../../src/replay/replay-raw.js';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { busySandbox } from '../../helpers/sandbox.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { tempDir } from '../../helpers/temp.js';
import { startFront } from '../front.js';
import {
  assertWholeLines,
  countSliceRequests,
  listCachedFiles,
  listMinutes,
  replayInProcess,
  runReplayInProcess,
  START,
} from '../replaying.js';

test('a warm cache needs no requests, even with another slice size', async (t) => {
  const service = await busySandbox(t, { feeds: { suggestedMinutes: 3 } });
  const folder = await tempDir(t);
  const first = await replayInProcess(service, folder, { to: 25 });
  assert.equal(first.error, undefined);
  const asked = service.requests.length;
  const other = await busySandbox(t, { feeds: { suggestedMinutes: 7 } });
  const wider = await replayInProcess(other, folder, { from: 5, to: 40 });
  assert.equal(wider.error, undefined);
  // 25 minutes, in requests of 1, 7 and 7.
  assert.equal(countSliceRequests(other), 3);
  await Promise.all([service.close(), other.close()]);
  const warm = await replayInProcess(service, folder, { to: 40, apiKey: undefined });
  assert.equal(warm.error, undefined);
  assert.deepEqual(
    listMinutes(warm.text),
    listMinutes(first.text).concat(listMinutes(wider.text).filter((minute) => minute >= 25)),
  );
  assert.ok(warm.text.startsWith(first.text) && warm.text.endsWith(wider.text));
  assert.equal(service.requests.length, asked);
  assert.deepEqual(warm.warnings, []);
});

test('detects a damaged slice before writing any line of it, and fetches it again', async (t) => {
  const zstd = await loadZstd();
  /** A slice with another text, in its original compression. */
  const repacked = (path: string, edit: (text: Uint8Array) => Uint8Array): Uint8Array => {
    const bytes = readFileSync(path);
    return path.endsWith('.zst') ? zstd(edit(decompress(bytes)), 'fast') : gzipSync(edit(gunzipSync(bytes)));
  };
  const service = await busySandbox(t);
  const folder = await tempDir(t);
  const right = await replayInProcess(service, folder, { to: 25 });
  const files = (await listCachedFiles(folder)).map((name) => join(folder, 'feeds', name));
  const damages: readonly ((path: string) => void)[] = [
    (path) => truncateSync(path, statSync(path).size - 9),
    (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4;
      writeFileSync(path, bytes);
    },
    (path) => writeFileSync(path, ''),
    (path) =>
      writeFileSync(
        path,
        repacked(path, (text) => text.subarray(0, -5)),
      ),
  ];
  const came = new Date('2024-04-01T00:00:00Z');
  for (const [i, damage] of damages.entries()) {
    const path = files[i] ?? '';
    damage(path);
    utimesSync(path, came, came);
  }
  const offline = await replayInProcess(service, folder, { to: 25, offline: true });
  assert.equal(offline.error?.code, 'corrupt');
  assert.equal(offline.text, '');
  const healed = await replayInProcess(service, folder, { to: 25 });
  assert.equal(healed.error, undefined);
  assert.ok(healed.text === right.text);
  assert.equal(healed.warnings.filter((message) => /fetching it again/.test(message)).length, damages.length);
  await service.close();
  assert.ok((await replayInProcess(service, folder, { to: 25 })).text === right.text);
});

test('reads a cache folder of the vendor’s clients: their names, filter texts and multiple frames', async (t) => {
  const zstd = await loadZstd();
  const folder = await tempDir(t);
  const filters = [{ channel: 'trade' }];
  const keys = filterKeys(filters);
  assert.equal(keys.length, 3);
  const line = (minute: number): string =>
    `${new Date((START + minute) * 60_000).toISOString().slice(0, 17)}01.0000000Z {"minute":${minute}}\n`;
  const put = (key: string, name: string, bytes: Uint8Array): void => {
    const path = join(folder, 'feeds/bitmex', key, '2024/03/01/00', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  };
  const frames = (minutes: readonly number[]): Buffer =>
    Buffer.concat(minutes.map((minute) => zstd(Buffer.from(line(minute)), 'fast')));
  put(keys[0] ?? '', '00.json.gz', gzipSync(line(0)));
  put(keys[1] ?? '', '01.size-4.json.zst', frames([1, 2, 3, 4]));
  put(keys[2] ?? '', '03.size-3.json.gz', gzipSync([3, 4, 5].map(line).join('')));
  const service = await busySandbox(t);
  await service.close();
  const { text, error } = await replayInProcess(service, folder, { to: 6, filters, apiKey: undefined });
  assert.equal(error, undefined);
  assert.deepEqual(listMinutes(text), [0, 1, 2, 3, 4, 5]);
  assert.equal(text.split('\n').length, 7);
});

test('uses a provisional slice without caching it', async (t) => {
  const service = await busySandbox(t, { rows: 5000 });
  const folder = await tempDir(t);
  const now = Math.floor(Date.now() / 60_000) - START;
  const range = { from: now - 20, to: now - 2 };
  const young = await replayInProcess(service, folder, range);
  assert.equal(young.error, undefined);
  assert.ok(young.messages > 0);
  assert.ok(young.warnings.some((message) => /less than 30 minutes/.test(message)));
  const first = service.requests.length;
  assert.ok((await replayInProcess(service, folder, range)).text === young.text);
  // A request that stalls on a busy machine is repeated, so each one is searched for once.
  const asked = (requests: Sandbox['requests']): readonly string[] =>
    [...new Set(requests.map(({ url }) => url).filter((url) => url.startsWith('/v1/data-feeds/')))].sort();
  assert.deepEqual(asked(service.requests.slice(first)), asked(service.requests.slice(0, first)));
  assert.deepEqual(await listCachedFiles(folder), []);
});

test('respects the limit and evicts the least recently used slices first', async (t) => {
  const service = await busySandbox(t, { feeds: { suggestedMinutes: 1 } });
  const folder = await tempDir(t);
  const free = await replayInProcess(service, folder, { to: 30, filters: [] });
  const sizeOf = async (): Promise<number> =>
    (await listCachedFiles(folder)).reduce(
      (sum, name) => sum + statSync(join(folder, 'feeds', name)).size,
      0,
    );
  const size = await sizeOf();
  // An hour ago all slices were used, then the last ten.
  const old = new Date(Date.now() - 3_600_000);
  for (const name of await listCachedFiles(folder)) {
    const path = join(folder, 'feeds', name);
    utimesSync(path, old, old);
  }
  await replayInProcess(service, folder, { from: 20, to: 30, filters: [] });
  const limit = Math.floor(size * 0.8);
  const more = await replayInProcess(service, folder, { from: 30, to: 35, filters: [], cacheLimit: limit });
  assert.equal(more.error, undefined);
  assert.ok((await sizeOf()) <= limit);
  const names = (await listCachedFiles(folder)).map((name) => Number(/(\d\d)\.json\.\w+$/.exec(name)?.[1]));
  for (let minute = 20; minute < 35; minute++) assert.ok(names.includes(minute), `${minute}`);
  const again = await replayInProcess(service, folder, { to: 30, filters: [], cacheLimit: limit });
  assert.ok(again.text === free.text);
  assert.ok((await sizeOf()) <= limit);
});

test('continues without caching if the limit is below the slices in flight', async (t) => {
  const lines = 20_000;
  const slices = new Map<number, Buffer>();
  const front = await startFront(t, await busySandbox(t), (minute, response) => {
    const time = new Date((START + minute) * 60_000).toISOString().slice(0, 17);
    const slice =
      slices.get(minute) ?? gzipSync(`${time}01.0000000Z {"minute":"a long message"}\n`.repeat(lines));
    slices.set(minute, slice);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(slice);
    return true;
  });
  const [range, filters] = [{ start: START, end: START + 12 }, [{ channel: 'trade' }]];
  // No slice fits, then one.
  for (const share of [0.5, 1.5]) {
    const cacheLimit = Math.floor(share * (slices.get(0)?.length ?? 1));
    const folder = await tempDir(t);
    const { messages, error } = await runReplayInProcess(
      front,
      folder,
      { cacheLimit },
      async (here, records) => {
        const feed = await openFeed(here.run, { exchange: 'bitmex', filters, range }, records);
        // No room for text, so each slice stays on disk until it is read.
        here.run.texts.left = 0;
        await replayRaw({ ...here, feed, withDisconnects: false });
      },
    );
    assert.equal(error, undefined, `${share}`);
    assert.equal(messages, 12 * lines);
  }
});

test('continues without caching on a full disk, with one warning', async (t) => {
  const disk = await smallDisk(t, '64k');
  if (!disk) return;
  const service = await busySandbox(t, { feeds: { suggestedMinutes: 1 } });
  const right = await replayInProcess(service, await tempDir(t), { to: 20, filters: [] });
  const full = await replayInProcess(service, disk.dir, { to: 20, filters: [] });
  assert.equal(full.error, undefined);
  assert.ok(full.text === right.text);
  const reported = full.warnings.filter((message) =>
    /no longer caching slices: .*disk is full/.test(message),
  );
  assert.equal(reported.length, 1, full.warnings.join('\n'));
  assert.ok((await listCachedFiles(disk.dir)).every((name) => /\.json\.(gz|zst)$/.test(name)));
  disk.grow();
  assert.ok((await replayInProcess(service, disk.dir, { to: 20, filters: [] })).text === right.text);
});

test('fetches slices again that are removed during the replay', async (t) => {
  const service = await busySandbox(t);
  const folder = await tempDir(t);
  const right = await replayInProcess(service, folder, { to: 25 });
  // The replay is running when the folder is removed, at any position.
  const reading = replayInProcess(service, folder, { to: 25 });
  await rename(join(folder, 'feeds'), join(folder, 'gone'));
  assert.ok((await reading).text === right.text);
  await rm(join(folder, 'gone'), { recursive: true });
});

test('a replay that is stopped with slices ahead ends after whole lines, and frees its memory', async (t) => {
  const service = await busySandbox(t);
  const folder = await tempDir(t);
  const right = await replayInProcess(service, folder, { to: 25 });
  const aborting = new AbortController();
  let minutes = 0;
  const onMinutes = (): void => {
    if (++minutes === 5) aborting.abort(new TickhaulError('interrupted', 'interrupted'));
  };
  const input = { to: 25, offline: true, signal: aborting.signal, onMinutes };
  const stopped = await runReplayInProcess(service, folder, input, async (here, records) => {
    const range = { start: START, end: START + 25 };
    const request = { exchange: 'bitmex', filters: [{ channel: 'trade' }], range };
    const feed = await openFeed(here.run, request, records);
    const { texts } = here.run;
    await replayRaw({ ...here, feed, withDisconnects: false }).finally(() => {
      assert.equal(texts.left, texts.bytes);
    });
  });
  assert.equal(stopped.error?.code, 'interrupted');
  assert.ok(stopped.text !== '' && right.text.startsWith(stopped.text));
  assert.ok(listMinutes(stopped.text).length < 25);
  assertWholeLines(stopped.text);
});

test('clearing removes the slices and nothing else', async (t) => {
  const service = await busySandbox(t);
  const folder = await tempDir(t);
  await replayInProcess(service, folder, { to: 5 });
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  await clearSlices(folder);
  await clearSlices(folder);
  assert.deepEqual(await listCachedFiles(folder), []);
  assert.equal(readFileSync(join(folder, 'mine.txt'), 'utf8'), 'mine');
  const missing = await replayInProcess(service, folder, { to: 5, offline: true });
  assert.equal(missing.error?.code, 'not_exported');
  assert.match(missing.error?.message ?? '', /^bitmex 2024-03-01T00:00 and 4 more minutes: not in the cache/);
});
