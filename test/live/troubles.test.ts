import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.js';
import { createMarketSender, type HandshakeResponse, loopbackExchange, type Peer } from './exchange.js';
import { option, type Streaming, startStream } from './streaming.js';

/** A symbol of each exchange, and one of its error messages. */
const DIALECTS = [
  { exchange: 'bitmex', symbol: 'XBTUSD', error: { status: 400, error: 'Unknown table: nothing' } },
  {
    exchange: 'deribit',
    symbol: 'BTC-PERPETUAL',
    error: { jsonrpc: '2.0', id: 3, error: { code: 11050, message: 'bad_request' } },
  },
  {
    exchange: 'okex-swap',
    symbol: 'BTC-USDT-SWAP',
    error: { event: 'error', code: '60012', msg: 'Invalid request' },
  },
  {
    exchange: 'bybit',
    symbol: 'BTCUSDT',
    error: { success: false, ret_msg: 'error:handler not found,topic:nothing', op: 'subscribe' },
  },
] as const;

interface Act {
  /** The stream's message about it. */
  readonly code: ErrorCode;
  readonly refuse?: HandshakeResponse;
  /** The exchange's behaviour after the subscription. */
  readonly play?: (peer: Peer) => void;
}

/** Reported acts in order. A connection that was silent for other reasons repeats its act. */
function actsDone(acts: readonly Act[], { events }: Pick<Streaming, 'events'>): number {
  let done = 0;
  for (const event of events) {
    if (event.event === 'disconnect' && event.error.code === acts[done]?.code) done++;
  }
  return done;
}

for (const { exchange, symbol, error } of DIALECTS) {
  test(`${exchange} disconnects, stalls, sends garbage, refuses and bans: the stream recovers with a new book`, async (t) => {
    const acts: readonly Act[] = [
      { code: 'reset', play: ({ socket }) => socket.terminate() },
      { code: 'stalled', play: () => {} },
      { code: 'corrupt', play: ({ socket }) => socket.send('<html>') },
      { code: 'rejected', play: ({ send }) => send(error) },
      { code: 'no_access', refuse: { status: 403 } },
      { code: 'rate_limited', refuse: { status: 429, headers: { 'retry-after': '1' } } },
      { code: 'rate_limited', refuse: { status: 418 } },
      { code: 'rate_limited', play: ({ socket }) => socket.close(1013, 'Too many connections') },
      { code: 'server_error', refuse: { status: 502 } },
    ];
    const { url } = await loopbackExchange(t, {
      // A permanently refused connection ends the stream.
      refuse: (handshake) => (handshake > 60 ? { status: 404 } : acts[actsDone(acts, stream)]?.refuse),
      async play(peer) {
        const act = actsDone(acts, stream);
        await peer.nextMessage();
        if (peer.socket.readyState !== peer.socket.OPEN) return;
        createMarketSender(exchange, symbol, peer).book(true, 100 + act, 200);
        acts[act]?.play?.(peer);
      },
    });
    const stream = startStream(
      t,
      [option(exchange, [symbol], 'book_snapshot_3_0ms', { timeoutIntervalMs: 500 })],
      { [`WSS_URL_${exchange.toUpperCase().replace('-', '_')}`]: url },
    );
    const last = await stream.waitForLine(({ bids }) =>
      JSON.stringify(bids)?.includes(`"price":${100 + acts.length},`),
    );
    assert.deepEqual(last['bids'], [{ price: 100 + acts.length, amount: 1 }, {}, {}]);
    assert.equal(actsDone(acts, stream), acts.length);
    const types = stream.lines.map(({ type }) => type);
    assert.ok(types.includes('disconnect'));
    // No disconnect is output twice, or before the first message.
    assert.doesNotMatch(types.join(), /^disconnect|disconnect,disconnect/);
  });
}

test('waits an hour if the exchange asks for it, and can be ended meanwhile', async (t) => {
  const { url, statuses } = await loopbackExchange(t, {
    refuse: () => ({ status: 429, headers: { 'retry-after': '3600' } }),
    play() {},
  });
  const options = [option('bitmex', ['XBTUSD'], 'trade')];
  const stream = startStream(t, options, { WSS_URL_BITMEX: url }, { times: { supplementDelayMs: 0 } });
  const event = await stream.waitForEvent('disconnect');
  assert.ok(event.event === 'disconnect' && event.waitMs >= 3_600_000);
  await stream.end();
  assert.deepEqual(statuses, [429]);
});
