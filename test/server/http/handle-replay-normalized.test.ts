import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { behindFront } from '../../feeds/front.js';
import { envOf, tickhaul } from '../../helpers/cli.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { normalizeHere } from '../../replay/feeds/normalizing.js';
import { ask, busySandbox, type Served, serveHere, withOptions } from '../serving.js';
import { connectTo } from '../socket/connecting.js';

const PERIOD = { from: '2024-03-01', to: '2024-03-02' };
const TYPES = ['trade', 'book_snapshot_2_1s', 'trade_bar_1m'];
const FUTURES = { exchange: 'binance-futures', symbols: ['btcusdt'], dataTypes: TYPES, ...PERIOD };
const PATH = '/replay-normalized';

async function linesOf({ httpPort }: Served, options: unknown): Promise<readonly string[]> {
  const { status, text, isWhole } = await ask(httpPort, withOptions(PATH, options));
  assert.deepEqual([status, isWhole], [200, true], text);
  return text.split('\n').slice(0, -1);
}

/** Lines of several answers by local timestamp; ties go to the first. */
function merged(answers: readonly (readonly string[])[]): readonly string[] {
  const all = answers.flatMap((lines, answer) =>
    lines.map((line) => ({ line, answer, time: /"localTimestamp":"([^"]+)"/.exec(line)?.[1] ?? '' })),
  );
  return all
    .sort((a, b) => (a.time === b.time ? a.answer - b.answer : a.time < b.time ? -1 : 1))
    .map(({ line }) => line);
}

test('day files: downloaded on demand, once, with the bytes of the command', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const server = await serveHere(t, service, dir, { source: 'datasets' });
  const [lines, ...same] = await Promise.all([1, 2, 3].map(() => linesOf(server, FUTURES)));
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
  const { stdout } = await tickhaul(args, { env: envOf(service, join(dir, 'datasets')) });
  assert.deepEqual(`${lines.join('\n')}\n`, stdout);
});

test('a list of options is merged, each with its own symbols, types and period', async (t) => {
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
  const alone = [await linesOf(server, options[0]), await linesOf(server, options[1])];
  assert.ok(alone.every((lines) => lines.length > 10));
  assert.deepEqual(await linesOf(server, options), merged(alone));
  assert.deepEqual(await linesOf(server, []), []);
  assert.deepEqual(await linesOf(server, { ...FUTURES, to: PERIOD.from }), []);
  assert.match(server.warnings.join('\n'), /^withDisconnectMessages: day files don't know/);
});

test('feeds: the same messages as a replay of feeds, several exchanges’ options too', async (t) => {
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
  const lines = await linesOf(server, { ...option, dataTypes: ['trade'] });
  const replayed = await normalizeHere(service, await tempDir(t), {
    exchanges: ['bitmex:XBTUSD'],
    withDisconnects: true,
  });
  assert.equal(`${lines.join('\n')}\n`, replayed.text);
  assert.match(replayed.text, /"type":"disconnect"/);
  const others = { ...option, symbols: ['ETHUSD'], dataTypes: ['trade'], to: '2024-03-01T00:10:00Z' };
  const both = await linesOf(server, [{ ...option, dataTypes: ['trade'] }, others]);
  assert.deepEqual(both, merged([lines, await linesOf(server, others)]));
});

test('what is refused, from both sources; what an exchange lacks is left out where something remains', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  for (const source of ['datasets', 'feeds'] as const) {
    const server = await serveHere(t, service, dir, { source });
    const cases: readonly (readonly [number, RegExp, object])[] = [
      [400, /"dataTypes" is missing/, { ...FUTURES, dataTypes: [] }],
      [
        400,
        /"trades" is not a normalized data type; did you mean trade\?/,
        { ...FUTURES, dataTypes: ['trade', 'trades'] },
      ],
      [400, /"symbols": expected a list/, { ...FUTURES, symbols: 'BTCUSDT' }],
      [
        400,
        /"withDisconnectMessages": expected true or false/,
        { ...FUTURES, withDisconnectMessages: 'yes' },
      ],
      [400, /unknown exchange/, { ...FUTURES, exchange: 'bitmx' }],
      [
        400,
        /unknown symbol "XBTUSDD"/,
        { ...FUTURES, exchange: 'bitmex', symbols: ['XBTUSDD'], dataTypes: ['trade'] },
      ],
    ];
    for (const [status, message, options] of cases) {
      const answer = await ask(server.httpPort, withOptions(PATH, options));
      assert.equal(answer.status, status, answer.text);
      assert.match(JSON.parse(answer.text).message, message);
    }
  }
  const server = await serveHere(t, service, dir, { source: 'datasets' });
  const options = {
    ...FUTURES,
    exchange: 'coinbase',
    symbols: ['BTC-USD'],
    dataTypes: ['trade', 'derivative_ticker'],
  };
  assert.ok((await linesOf(server, options)).length > 10);
  assert.match(server.warnings.join('\n'), /coinbase has no derivative_ticker, which is left out/);
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
    const service = await behindFront(t, await busySandbox(t), (minute, response) => {
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
