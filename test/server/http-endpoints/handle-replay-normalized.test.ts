import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { envOf } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { startFront } from '../../raw-feeds/front.js';
import { normalizeInProcess, toSources } from '../../replay/normalized-feeds/normalizing.js';
import { at, bitmexTrade, writeSlices } from '../../replay/normalized-feeds/slices.js';
import { ask, busySandbox, type Served, serveHere, withOptions } from '../serving.js';
import { connectTo } from '../socket/connecting.js';

const PERIOD = { from: '2024-03-01', to: '2024-03-02' };
const TYPES = ['trade', 'book_snapshot_2_1s', 'trade_bar_1m'];
const FUTURES = { exchange: 'binance-futures', symbols: ['btcusdt'], dataTypes: TYPES, ...PERIOD };
const PATH = '/replay-normalized';

async function fetchLines({ httpPort }: Served, options: unknown): Promise<readonly string[]> {
  const { status, text, isWhole } = await ask(httpPort, withOptions(PATH, options));
  assert.deepEqual([status, isWhole], [200, true], text);
  return text.split('\n').slice(0, -1);
}

/** Merges the lines of several responses by local timestamp; ties go to the earlier response. */
function mergeLines(answers: readonly (readonly string[])[]): readonly string[] {
  const all = answers.flatMap((lines, answer) =>
    lines.map((line) => ({ line, answer, time: /"localTimestamp":"([^"]+)"/.exec(line)?.[1] ?? '' })),
  );
  return all
    .sort((a, b) => (a.time === b.time ? a.answer - b.answer : a.time < b.time ? -1 : 1))
    .map(({ line }) => line);
}

test('downloads day files once on demand and sends the same bytes as the command', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const server = await serveHere(t, service, dir, { source: 'datasets' });
  const [lines, ...same] = await Promise.all([1, 2, 3].map(() => fetchLines(server, FUTURES)));
  assert.ok(lines && lines.length > 100);
  for (const others of same) assert.deepEqual(others, lines);
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, 2);
  const args = [
    'replay',
    'binance-futures:BTCUSDT',
    '-t',
    TYPES.join(),
    '--from',
    PERIOD.from,
    '--to',
    PERIOD.to,
  ];
  const { stdout } = await runHere(args, { env: envOf(service, join(dir, 'datasets')) });
  assert.deepEqual(`${lines.join('\n')}\n`, stdout);
});

test('merges a list of options with different symbols, types and periods', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { source: 'datasets' });
  const options = [
    { ...FUTURES, withDisconnectMessages: true },
    {
      exchange: 'deribit',
      symbols: ['BTC-PERPETUAL'],
      dataTypes: ['quote_1s'],
      from: '2024-03-01 06:00',
      to: '2024-03-01T12:00:00+00:00',
    },
  ];
  const alone = [await fetchLines(server, options[0]), await fetchLines(server, options[1])];
  assert.ok(alone.every((lines) => lines.length > 10));
  assert.deepEqual(await fetchLines(server, options), mergeLines(alone));
  assert.deepEqual(await fetchLines(server, []), []);
  assert.deepEqual(await fetchLines(server, { ...FUTURES, to: PERIOD.from }), []);
  assert.match(server.warnings.join('\n'), /^withDisconnectMessages: day files do not record disconnects/);
});

test('sends the same messages from feeds as a replay of feeds, also for several options', async (t) => {
  const service = await busySandbox(t, { feeds: { breaks: 0.5 } });
  const server = await serveHere(t, service, await tempDir(t));
  const option = {
    exchange: 'bitmex',
    symbols: ['XBTUSD'],
    from: '2024-03-01T00:00:00Z',
    to: '2024-03-01T00:30:30Z',
    dataTypes: ['trade', 'quote'],
    withDisconnectMessages: true,
  };
  const lines = await fetchLines(server, { ...option, dataTypes: ['trade'] });
  const replayed = await normalizeInProcess(service, await tempDir(t), {
    exchanges: ['bitmex:XBTUSD'],
    withDisconnects: true,
  });
  assert.equal(`${lines.join('\n')}\n`, replayed.text);
  assert.match(replayed.text, /"type":"disconnect"/);
  const others = { ...option, symbols: ['ETHUSD'], dataTypes: ['trade'], to: '2024-03-01T00:10:00Z' };
  const both = await fetchLines(server, [{ ...option, dataTypes: ['trade'] }, others]);
  assert.deepEqual(both, mergeLines([lines, await fetchLines(server, others)]));
});

test('without feeds, native messages are refused; offline, a day file that is not there is a 503', async (t) => {
  const service = await sandbox(t);
  const server = await serveHere(t, service, await tempDir(t), { source: 'datasets' });
  const raw = await ask(server.httpPort, withOptions('/replay', { exchange: 'bitmex', ...PERIOD }));
  assert.deepEqual([raw.status, /--source feeds/.test(raw.text)], [400, true]);
  const offline = await serveHere(t, service, await tempDir(t), {
    source: 'datasets',
    feeds: { offline: true },
  });
  assert.equal((await ask(offline.httpPort, withOptions(PATH, FUTURES))).status, 503);
});

// Shorter than what threads are for, and longer.
for (const minutes of [5, 30]) {
  test(`messages of a quiet feed don’t wait for the slices behind them: ${minutes} minutes`, async (t) => {
    let answerRest = (): void => {};
    const first = new Promise<void>((resolve) => {
      answerRest = resolve;
    });
    const data = [
      { timestamp: '2024-03-01T00:00:01.000Z', symbol: 'XBTUSD', side: 'Buy', size: 1, price: 1 },
    ];
    const line = `2024-03-01T00:00:01.0000000Z ${JSON.stringify({ table: 'trade', action: 'insert', data })}\n`;
    const service = await startFront(t, await busySandbox(t), (minute, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      if (minute === 0) response.end(gzipSync(line));
      else void first.then(() => response.end(gzipSync('')));
      return true;
    });
    const server = await serveHere(t, service, await tempDir(t));
    const to = new Date(Date.parse(PERIOD.from) + minutes * 60_000).toISOString();
    const options = { ...PERIOD, exchange: 'bitmex', symbols: ['XBTUSD'], dataTypes: ['trade'], to };
    const { socket, heard } = connectTo(server, withOptions('/ws-replay-normalized', options));
    await once(socket, 'message');
    answerRest();
    const { messages, code } = await heard;
    assert.deepEqual([messages.length, code], [1, 1000]);
  });
}

test('leaves out messages of an unknown form, which the log says once a channel, with their number', async (t) => {
  const dir = await tempDir(t);
  const [source] = toSources({ to: 2 });
  assert.ok(source);
  const broken = { table: 'trade', action: 'insert', data: [{ symbol: 'XBTUSD', cost: 1 }] };
  await writeSlices(join(dir, 'cache'), source, [
    bitmexTrade(1, 1),
    [at(2), broken],
    [at(3), broken],
    bitmexTrade(4, 2),
  ]);
  const server = await serveHere(t, await sandbox(t), dir, { feeds: { offline: true } });
  const period = { from: '2024-03-01T00:00', to: '2024-03-01T00:02' };
  const lines = await fetchLines(server, { exchange: 'bitmex', dataTypes: ['trade'], ...period });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).price),
    [1, 2],
  );
  assert.equal(server.warnings.length, 2, server.warnings.join('\n'));
  assert.match(server.warnings[0] ?? '', /in channel trade has an unknown form \(its trade has no price/);
  assert.match(server.warnings[1] ?? '', /left out 2 messages of an unknown form in channel trade$/);
});
