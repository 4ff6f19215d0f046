import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { yieldToEventLoop } from '../../src/base/wait.js';
import { createNativeWriter } from '../../src/sandbox/feed-lines/native-writer.js';
import { cleanUp } from '../helpers/clean-up.js';

/** A client's connection to a loopback exchange. */
export interface Peer {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** Counted from 1. */
  readonly number: number;
  /** Sends a message as JSON. */
  send(message: unknown): void;
  /** The next message of the client, parsed if it is JSON; undefined after the client has disconnected. */
  nextMessage(): Promise<unknown>;
}

export interface LoopbackExchange {
  readonly url: string;
  /** The status of each handshake, in order. */
  readonly statuses: readonly number[];
  readonly peers: readonly Peer[];
}

export interface HandshakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ExchangeOptions {
  /** Refuses a handshake, counted from 1. */
  readonly refuse?: (handshake: number) => HandshakeResponse | undefined;
  /** Plays the exchange on a connection. */
  readonly play: (peer: Peer) => void | Promise<void>;
}

/** A WebSocket server on loopback that plays an exchange. */
export async function loopbackExchange(
  t: TestContext,
  { refuse, play }: ExchangeOptions,
): Promise<LoopbackExchange> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const statuses: number[] = [];
  const peers: Peer[] = [];
  server.on('upgrade', (request, socket, head) => {
    const refused = refuse?.(statuses.length + 1);
    statuses.push(refused?.status ?? 101);
    if (refused) {
      socket.on('error', () => {});
      const headers = Object.entries(refused.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refused.status} No\r\nconnection: close\r\n${headers.join('')}\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const peer = createPeer(client, request, peers.length + 1);
      peers.push(peer);
      void play(peer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, statuses, peers };
}

function createPeer(socket: WebSocket, request: IncomingMessage, number: number): Peer {
  const messages: unknown[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    const text = String(data);
    messages.push(/^[[{]/.test(text) ? JSON.parse(text) : text);
    wake();
  });
  socket.on('close', () => wake());
  socket.on('error', () => {});
  return {
    socket,
    request,
    number,
    send: (message) => socket.send(JSON.stringify(message)),
    async nextMessage() {
      while (messages.length === 0 && socket.readyState === socket.OPEN) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return messages.shift();
    },
  };
}

/**
 * Sends market events in an exchange's own messages over one connection.
 * @throws if the sandbox does not write the exchange's messages: a test must write them itself.
 */
export function createMarketSender(exchange: string, symbol: string, { send }: Pick<Peer, 'send'>) {
  const writer = createNativeWriter(exchange);
  if (writer === undefined)
    throw new Error(`${exchange}: the sandbox has no messages of it; write them in the test`);
  const now = (): number => Math.floor(Date.now()) * 1000;
  const write = (event: object): void => {
    const at = now();
    const reported = writer.write({ symbol, timestamp: at, localTimestamp: at, ...event } as never);
    for (const { message } of reported) send(message);
  };
  return {
    trade: (price: number, amount = 1): void =>
      write({ type: 'trade', id: `t-${price}`, price, amount, side: 'buy' }),
    book: (isSnapshot: boolean, bid: number, ask: number): void =>
      write({
        type: 'book_change',
        isSnapshot,
        bids: [{ price: bid, amount: 1 }],
        asks: [{ price: ask, amount: 2 }],
      }),
  };
}

/** An exchange that sends trades while it has a client. */
export function endlessExchange(t: TestContext): Promise<LoopbackExchange> {
  return loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      for (let price = 1; peer.socket.readyState === peer.socket.OPEN; price++) {
        market.trade(price);
        // No more than the client reads.
        do await yieldToEventLoop();
        while (peer.socket.bufferedAmount > 100_000);
      }
    },
  });
}
