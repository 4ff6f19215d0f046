import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.js';
import { createMarketSender, type HandshakeResponse, loopbackExchange, type Peer } from './exchange.js';
import { option, type Streaming, startStream } from './streaming.js';

interface Played {
  readonly exchange: string;
  readonly symbol: string;
  /** One of its error messages. */
  readonly error: object;
  /** Sends a whole book; if omitted, the sandbox writes it, which must have the exchange's messages. */
  readonly book?: (peer: Peer, bid: number) => void;
  /** Sends an update of the book after one that is missing, if the exchange numbers updates. */
  readonly gap?: (peer: Peer) => void;
}

const EXCHANGES: readonly Played[] = [
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
  {
    exchange: 'lighter',
    symbol: '1',
    error: { error: { code: 30005, message: 'Invalid Channel: order_book/x' } },
    gap: ({ send }) =>
      send({
        type: 'update/order_book',
        channel: 'order_book:1',
        order_book: { bids: [], asks: [], begin_nonce: 5000, nonce: 5001 },
      }),
  },
  {
    exchange: 'bullish',
    symbol: 'BTCUSDC',
    error: { jsonrpc: '2.0', id: '1', result: { code: '-32602', errorCode: '29013' } },
    book: (peer, bid) => sendBullishBook(peer, 'snapshot', [String(bid), '1'], 5),
    gap: (peer) => sendBullishBook(peer, 'update', [], 9),
  },
  {
    exchange: 'polymarket',
    symbol: '7',
    error: { error: 'invalid subscription' },
    book: ({ send }, bid) =>
      send([{ event_type: 'book', asset_id: '7', bids: [{ price: String(bid), size: '1' }], asks: [] }]),
  },
];

function sendBullishBook({ send }: Peer, type: string, bids: readonly string[], number: number): void {
  const sequenceNumberRange = [number, number];
  send({ type, dataType: 'V1TALevel2', data: { symbol: 'BTCUSDC', bids, asks: [], sequenceNumberRange } });
}

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

for (const { exchange, symbol, error, book, gap } of EXCHANGES) {
  test(`${exchange} disconnects, stalls, sends garbage, refuses and bans: the stream recovers with a new book`, async (t) => {
    const acts: readonly Act[] = [
      { code: 'reset', play: ({ socket }) => socket.terminate() },
      { code: 'stalled', play: () => {} },
      { code: 'corrupt', play: ({ socket }) => socket.send('<html>') },
      { code: 'rejected', play: ({ send }) => send(error) },
      ...(gap ? [{ code: 'corrupt', play: gap } as const] : []),
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
        if (book) book(peer, 100 + act);
        else createMarketSender(exchange, symbol, peer).book(true, 100 + act, 200);
        acts[act]?.play?.(peer);
      },
    });
    const stream = startStream(
      t,
      [option(exchange, [symbol], 'book_snapshot_3_0ms', { timeoutIntervalMs: 500 })],
      { [`WSS_URL_${exchange.toUpperCase().replaceAll('-', '_')}`]: url },
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
