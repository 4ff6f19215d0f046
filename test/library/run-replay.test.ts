import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RawDisconnect, type RawMessage, replay, verify } from '../../src/index.js';
import { tickhaul } from '../helpers/cli.js';
import { errorOf, eventsOf, place } from './calls.js';

const HOUR = {
  exchange: ['deribit:BTC-PERPETUAL', 'binance-futures:BTCUSDT'],
  types: ['trade', 'book_change', 'trade_bar_10ticks'],
  from: '2024-03-01',
  to: '2024-03-01T12:00',
} as const;
const WORDS = ['-t', HOUR.types.join(), '--from', HOUR.from, '--to', HOUR.to];

test('messages are the parsed lines of the command; awaiting only returns the summary', async (t) => {
  await place(t);
  const { stdout, stderr } = await tickhaul(['replay', ...HOUR.exchange, ...WORDS, '--json'], {
    env: process.env as Record<string, string>,
  });
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length > 100, stderr);
  const run = replay(HOUR);
  const messages = await eventsOf(run);
  assert.deepEqual(
    messages,
    lines.map((line) => JSON.parse(line)),
  );
  const reported = { ...JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? ''), seconds: 0 };
  assert.deepEqual({ ...(await run), seconds: 0 }, reported);
  assert.deepEqual({ ...(await replay({ ...HOUR, offline: true })), seconds: 0 }, reported);
});

test('a reader that leaves ends the replay; with a file, the iterable is empty', async (t) => {
  const { dir } = await place(t);
  const run = replay(HOUR);
  let count = 0;
  for await (const message of run) {
    assert.equal(typeof message.localTimestamp, 'string');
    if (++count === 3) break;
  }
  const error = await errorOf(run);
  assert.deepEqual([error.code, error.exitCode], ['interrupted', 130]);

  const out = join(dir, 'messages.ndjson');
  const filed = replay({ ...HOUR, out });
  assert.deepEqual(await eventsOf(filed), []);
  const text = await readFile(out, 'utf8');
  assert.equal((await filed).messages, text.split('\n').length - 1);
});

test('native messages are the parsed lines of --channel, from a cache that verify checks', async (t) => {
  const { dir, service } = await place(t, { rows: 20_000, feeds: { breaks: 0.5, suggestedMinutes: 5 } });
  const options = {
    exchange: 'bitmex',
    channels: ['trade', 'quote'],
    symbols: 'XBTUSD',
    from: '2024-03-01T00:00',
    to: '2024-03-01T00:20',
    cacheDir: join(dir, 'slices'),
    withDisconnects: true,
  };
  const flags = ['--channel', 'trade,quote', '-s', 'XBTUSD', '--from', options.from, '--to', options.to];
  const words = ['replay', 'bitmex', ...flags, '--with-disconnects', '--cache-dir', join(dir, 'other')];
  const { stdout, stderr } = await tickhaul([...words, '--json'], {
    env: process.env as Record<string, string>,
  });
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length > 20 && lines.includes(''), stderr);
  const run = replay(options);
  const messages: readonly (RawMessage | RawDisconnect)[] = await eventsOf(run);
  const expected = lines.map((line) => (line === '' ? { type: 'disconnect' } : JSON.parse(line)));
  assert.deepEqual(messages, expected);
  const reported = { ...JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? ''), seconds: 0 };
  assert.deepEqual({ ...(await run), seconds: 0 }, reported);

  assert.equal((await verify({ cache: true, cacheDir: options.cacheDir })).verified, 5);
  await service.close();
  assert.deepEqual(await eventsOf(replay({ ...options, offline: true })), expected);
  const cleared = await errorOf(replay({ ...options, offline: true, clearCache: true }));
  assert.deepEqual([cleared.code, cleared.exitCode], ['not_exported', 7]);
  const both = await errorOf(verify({ cache: true, repair: true }));
  assert.match(both.message, /^repair applies to day files only; omit it with cache/);
});

test('errors reject before the first message, with the summary', async (t) => {
  await place(t);
  const wrong: readonly (readonly [options: object, exitCode: number, message: RegExp])[] = [
    [{ types: ['trad'] }, 2, /trad/],
    [{ speed: 'fast' }, 2, /^speed: "fast" is not a factor/],
    [{ exchange: undefined }, 2, /^exchange is required, for example/],
    [{ out: '-' }, 2, /^out: "-" is a stream of the process/],
    [{ from: '2024-03-08', to: '2024-03-11' }, 7, /not exported yet/],
    [{ channel: ['trades'] }, 2, /^unknown option "channel"; did you mean channels/],
    [{ channels: ['trades'] }, 2, /^channels selects native messages, and types normalized ones/],
    [{ cacheDir: 'slices' }, 2, /^cacheDir is for slices of raw data, .* day files; .*use source feeds/],
    [{ source: 'feeds', layout: () => 'x' }, 2, /^layout is for day files/],
    [
      { channels: 'all', types: undefined, source: 'datasets' },
      2,
      /^source datasets: day files have no channels/,
    ],
  ];
  for (const [options, exitCode, message] of wrong) {
    const run = replay({ ...HOUR, ...options } as Parameters<typeof replay>[0]);
    const [error, read] = await Promise.all([errorOf(run), errorOf(eventsOf(run))]);
    assert.equal(read, error);
    assert.match(error.message, message);
    const { seconds: _, error: reported, ...summary } = error.summary;
    assert.deepEqual(summary, { event: 'summary', exitCode, messages: 0, bytes: 0 });
    assert.deepEqual(reported, { code: error.code, message: error.message });
  }
});
