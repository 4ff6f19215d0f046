import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '../helpers/clean-up.js';
import { createMarketSender, loopbackExchange, type Peer } from './exchange.js';
import { option, startStream } from './streaming.js';

test('reconnects both connections of okex-swap if one ends, and restarts books', async (t) => {
  const channels = (peer: Peer, message: unknown): readonly string[] => {
    const { args } = message as { readonly args: readonly { readonly channel: string }[] };
    return peer.socket.readyState === peer.socket.OPEN ? args.map(({ channel }) => channel) : [];
  };
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      const [channel] = channels(peer, await peer.nextMessage());
      const market = createMarketSender('okex-swap', 'BTC-USDT-SWAP', peer);
      const isFirst = peer.number <= 2;
      if (channel === 'books') market.book(true, isFirst ? 100 : 200, isFirst ? 101 : 201);
      else if (!isFirst) market.trade(200.5);
    },
  });
  const stream = startStream(t, [option('okex-swap', ['BTC-USDT-SWAP'], 'trade,quote')], {
    WSS_URL_OKEX_SWAP: url,
  });
  await stream.waitForLines(1);
  peers.at(-1)?.socket.close(4000, 'going');
  await stream.waitForLine(({ type }) => type === 'trade');
  await stream.waitForLine(
    ({ type, bids }) => type === 'book_snapshot' && JSON.stringify(bids).includes('200'),
  );
  assert.equal(peers.length, 4);
  const [first, second] = stream.lines;
  assert.equal(first?.type, 'book_snapshot');
  assert.deepEqual(second, {
    type: 'disconnect',
    exchange: 'okex-swap',
    localTimestamp: first?.localTimestamp,
    symbols: ['BTC-USDT-SWAP'],
  });
  const event = await stream.waitForEvent('disconnect');
  assert.match(
    event.event === 'disconnect' ? event.error.message : '',
    /closed the connection \(4000\): going$/,
  );
});

test('bars and books restart after a disconnect, whether or not it is output', async (t) => {
  for (const withDisconnects of [true, false]) {
    const { url } = await loopbackExchange(t, {
      async play(peer) {
        await peer.nextMessage();
        const market = createMarketSender('bitmex', 'XBTUSD', peer);
        market.trade(1);
        if (peer.number > 1) market.trade(2);
        else peer.socket.close();
      },
    });
    const options = [option('bitmex', ['XBTUSD'], 'trade,trade_bar_2ticks', { withDisconnects })];
    const stream = startStream(t, options, { WSS_URL_BITMEX: url });
    const bar = await stream.waitForLine(({ type }) => type === 'trade_bar');
    assert.deepEqual([bar['open'], bar['close'], bar['trades']], [1, 2, 2]);
    const breaks = stream.lines.filter(({ type }) => type === 'disconnect');
    assert.equal(breaks.length, withDisconnects ? 1 : 0);
    await stream.end();
  }
});

test('replaces a silent connection; heartbeats are not messages', async (t) => {
  const beats: NodeJS.Timeout[] = [];
  cleanUp(t, () => beats.forEach(clearInterval));
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      if (peer.number > 1) {
        await peer.nextMessage();
        return createMarketSender('deribit', 'BTC-PERPETUAL', peer).trade(5);
      }
      beats.push(setInterval(() => peer.send({ jsonrpc: '2.0', method: 'heartbeat', params: {} }), 10));
    },
  });
  const options = [option('deribit', ['BTC-PERPETUAL'], 'trade', { timeoutIntervalMs: 300 })];
  const stream = startStream(t, options, { WSS_URL_DERIBIT: url });
  await stream.waitForLine(({ price }) => price === 5);
  assert.ok(peers.length >= 2);
  const event = await stream.waitForEvent('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /no message within 0\.3s$/);
});

test('ends a connection with invalid JSON, an error or an oversized text', async (t) => {
  const bad: readonly ((peer: Peer) => void)[] = [
    (peer) => peer.socket.send('{"table":"trade"'),
    (peer) => peer.socket.send('null'),
    (peer) => peer.send({ status: 400, error: 'Unknown table:\u001b[31m nothing' }),
    (peer) => peer.socket.send(Buffer.from([0xff, 0xfe, 0xfd])),
  ];
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const act = bad[peer.number - 1];
      if (act) act(peer);
      else createMarketSender('bitmex', 'XBTUSD', peer).trade(7);
    },
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await stream.waitForLine(({ price }) => price === 7);
  assert.equal(peers.length, bad.length + 1);
  const reported = stream.events.map((event) => (event.event === 'disconnect' ? event.error.message : ''));
  assert.match(reported[0] ?? '', /^bitmex: feed message is not valid JSON/);
  assert.match(reported[1] ?? '', /^bitmex sent an unreadable message$/);
  assert.equal(
    reported[2],
    'bitmex sent an error: {"status":400,"error":"Unknown table:\\u001b[31m nothing"}',
  );
  assert.match(reported[3] ?? '', /not valid JSON/);
  assert.ok(reported.every((text) => !text.includes('\u001b')));
  // None was a message of the exchange.
  assert.deepEqual(
    stream.lines.map(({ type }) => type),
    ['trade'],
  );
});

test('leaves out messages of an unknown form, with a warning for the first and their number at the end', async (t) => {
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      peer.send({ success: true, subscribe: 'trade:XBTUSD', request: { op: 'subscribe' } });
      peer.send({ table: 'trade', action: 'insert', data: [null] });
      peer.send({ table: 'trade', action: 'insert', data: [{ symbol: 'XBTUSD', px: 1 }] });
      peer.send({ stream: 'newTrade@XBTUSD', payload: [1, 2] });
      createMarketSender('bitmex', 'XBTUSD', peer).trade(7);
    },
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await stream.waitForLine(({ price }) => price === 7);
  await stream.end();
  assert.equal(peers.length, 1);
  const warnings = stream.events.map((event) => (event.event === 'warning' ? event.message : event.event));
  assert.equal(warnings.length, 4, warnings.join('\n'));
  assert.match(
    warnings[0] ?? '',
    /^bitmex: the message of .* in channel trade has an unknown form \(.*\); leaving out all such messages$/,
  );
  assert.match(
    warnings[1] ?? '',
    /in channel newTrade@XBTUSD has an unknown form \(no normalizer knows it\)/,
  );
  assert.deepEqual(warnings.slice(2), [
    'bitmex: left out 2 messages of an unknown form in channel trade',
    'bitmex: left out 1 message of an unknown form in channel newTrade@XBTUSD',
  ]);
});

test('reports limits, bans and refusals with the requested delay', async (t) => {
  const answers = [
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 418 },
    { status: 403 },
    { status: 503 },
    { status: 404 },
  ];
  const { url } = await loopbackExchange(t, {
    refuse: (handshake) => answers[handshake - 1],
    play: (peer) => createMarketSender('bitmex', 'XBTUSD', peer).trade(1),
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await stream.waitForLines(1);
  assert.deepEqual(
    stream.events.map((event) =>
      event.event === 'disconnect'
        ? [event.error.code, event.error.status, event.error.retryAfterMs, event.failures]
        : [],
    ),
    [
      ['rate_limited', 429, 7000, 1],
      ['rate_limited', 418, undefined, 2],
      ['no_access', 403, undefined, 3],
      ['server_error', 503, undefined, 4],
      ['rejected', 404, undefined, 5],
    ],
  );
});

test('ends with code 5 after 50 failed connections in a row; a line resets the count', async (t) => {
  const { url, statuses } = await loopbackExchange(t, {
    refuse: (handshake) => (handshake === 50 ? undefined : { status: 500 }),
    play(peer) {
      createMarketSender('bitmex', 'XBTUSD', peer).trade(1);
      peer.socket.close();
    },
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await assert.rejects(stream.ended, {
    code: 'unreachable',
    exitCode: 5,
    message: /^bitmex: 50 connections in a row failed; the last error was: .* answered 500$/,
  });
  assert.equal(statuses.length, 100);
});

test('a connection with only a welcome and an error has failed', async (t) => {
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      peer.send({ info: 'Welcome' });
      await peer.nextMessage();
      peer.send({ status: 400, error: 'Unknown symbol' });
    },
  });
  const stream = startStream(t, [option('bitmex', ['NOPE'], 'trade')], { WSS_URL_BITMEX: url });
  await assert.rejects(stream.ended, /50 connections in a row failed.*Unknown symbol/);
  assert.equal(peers.length, 50);
});
