import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tempDir } from '../helpers/temp.js';
import { ask, busySandbox, serveHere, withOptions } from './serving.js';
import { hear } from './socket/connecting.js';

/*
 * Requests of existing clients (`docs/spec/local-server.md#known-clients`); nautilus-conformance.test.ts has those of
 * NautilusTrader.
 */

test('others: times in the form of isoformat(), unescaped JSON and plus signs, on each endpoint', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const minutes = (from: string, to: string) => ({ exchange: 'bitmex', from, to });
  const usual = minutes('2024-03-01T00:00:00.000Z', '2024-03-01T00:10:00.000Z');
  const written = [
    minutes('2024-03-01T00:00:00', '2024-03-01T00:10:00'),
    minutes('2024-03-01T00:00:00+00:00', '2024-03-01T00:10:59.999999+00:00'),
    minutes('2024-03-01', '2024-03-01 00:10'),
    minutes('2024-03-01T00:00', '2024-03-01T00:10:30'),
  ];
  const types = { symbols: ['XBTUSD'], dataTypes: ['trade'] };
  const filters = [{ channel: 'trade', symbols: ['XBTUSD'] }];
  const subscribe = ['{"op":"subscribe","args":"trade:XBTUSD"}'];
  const raw = await ask(server.httpPort, withOptions('/replay', { ...usual, filters }));
  const normalized = await ask(server.httpPort, withOptions('/replay-normalized', [{ ...usual, ...types }]));
  assert.deepEqual([raw.status, normalized.status], [200, 200]);
  const lines = normalized.text.split('\n').slice(0, -1);
  assert.ok(lines.length > 5);
  const sessions = written.map(async (period) => {
    const unescaped = (options: object): string => JSON.stringify(options).replaceAll(' ', '+');
    const { from, to } = period;
    const [http, sockets, native] = await Promise.all([
      ask(
        server.httpPort,
        `/replay?options=${unescaped({ ...period, exchange: 'BitMEX', filters, withDisconnects: null })}`,
      ),
      hear(server, `/ws-replay-normalized?options=${unescaped([{ ...period, ...types }])}`),
      hear(server, `/ws-replay?exchange=bitmex&from=${from}&to=${to}`, subscribe),
    ]);
    assert.deepEqual([http.status, http.text === raw.text], [200, true], from);
    // Normalized replays of feeds have whole minutes, too.
    assert.deepEqual([sockets.code, sockets.messages], [1000, lines], from);
    assert.equal(native.code, 1000);
    assert.equal(native.messages.length, raw.text.split('\n').length - 1);
  });
  await Promise.all(sessions);
  assert.deepEqual(server.warnings, []);
});

test('bitmex-realtime-api and similar clients: an endpoint with a query, and no welcome message', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const endpoint = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T00:05';
  const { messages, code } = await hear(server, endpoint, [
    '{"op":"subscribe","args":["trade:XBTUSD","instrument"]}',
    'help',
    'help',
    '{"op":"unsubscribe","args":["instrument"]}',
  ]);
  assert.equal(code, 1000);
  assert.ok(messages.length > 5);
  for (const text of messages) assert.match(text, /^\{"table":"(?:trade|instrument)",/);
  // A message that is not understood is logged once, with an example of a valid one.
  assert.equal(server.warnings.length, 1);
  assert.match(
    server.warnings[0] ?? '',
    /^\/ws-replay bitmex: not a valid subscribe message .* a valid one is \{"op":"subscribe","args":\["trade:XBTUSD"\]\}$/,
  );
});
