import type { createConnection } from 'node:net';
import WebSocket from 'ws';
import { abortReason, TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { VERSION } from '../base/version.js';
import { onAbort, wait } from '../base/wait.js';
import type { LiveFeed } from '../dialects/live/live-feed.js';
import { createMessageParser } from '../dialects/message-parser.js';
import { toNetworkError } from '../http/network-error.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { createTunnel, type Tunnel } from '../service/http/tunnel.js';
import { createClosedError, createExchangeError, createHandshakeError } from './connection-errors.js';
import { sendConnectionSupplements } from './fetch-supplements.js';
import { resolveSocketAddress } from './live-address.js';

const PING_MS = 5000;

export interface ConnectionInput {
  readonly exchange: string;
  readonly feed: LiveFeed;
  readonly client: ServiceClient;
  /** Milliseconds, from the first attempt to connect on; 0 for none. */
  readonly timeoutIntervalMs: number;
  /** Milliseconds that the handshake may take, however long a silence may be. */
  readonly handshakeMs: number;
  /** Takes a message that may be normalized, parsed. What it throws ends the connection. */
  readonly onMessage: (message: unknown) => void;
  /** Told of an error of the exchange that leaves the connection as it is: a symbol that it doesn't have. */
  readonly onExchangeError: (says: string) => void;
  readonly signal: AbortSignal;
}

/**
 * One connection to an exchange, from its handshake to its end. Never resolves.
 * @throws why it ended: TickhaulError, or what `onMessage` throws; the signal's reason when aborted.
 */
export async function runConnection(input: ConnectionInput): Promise<never> {
  const { exchange, feed, client, signal } = input;
  const url = await resolveSocketAddress(client, exchange, feed.address, signal);
  const tunnel = createTunnel(client.config.env, url);
  const over = new AbortController();
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    headers: { 'user-agent': `tickhaul/${VERSION}` },
    ...(feed.origin !== undefined && { origin: feed.origin }),
    ...(tunnel && { createConnection: connectThrough(tunnel, over.signal) }),
  });
  try {
    return await waitForEnd(socket, url.host, input, over.signal);
  } finally {
    over.abort();
    // Nothing of it counts any more.
    socket.on('error', () => {});
    if (socket.readyState === WebSocket.OPEN) socket.close();
    socket.terminate();
  }
}

/** @param over aborted once it ended. */
function waitForEnd(
  socket: WebSocket,
  host: string,
  { exchange, feed, timeoutIntervalMs, handshakeMs, onMessage, onExchangeError, signal }: ConnectionInput,
  over: AbortSignal,
): Promise<never> {
  return new Promise((_, end) => {
    const send = (message: unknown): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    };
    /** Fails with the connection itself, which then has its own reason. */
    const meanwhile = (work: Promise<void>): void => void work.catch(end);
    const isSilent = (): void => {
      const patience = formatDuration(timeoutIntervalMs);
      end(new TickhaulError('stalled', `${host}: no message within ${patience}`));
    };
    const silence = timeoutIntervalMs > 0 ? setTimeout(isSilent, timeoutIntervalMs) : undefined;
    const isUnanswered = (): void => {
      const patience = formatDuration(handshakeMs);
      end(new TickhaulError('unreachable', `${host} cannot be reached: no handshake within ${patience}`));
    };
    const handshake = setTimeout(isUnanswered, handshakeMs);
    const pings = setInterval(() => {
      if (feed.ping) feed.ping(send);
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, PING_MS);
    const leave = onAbort(signal, () => end(abortReason(signal)));
    over.addEventListener('abort', () => {
      clearTimeout(silence);
      clearTimeout(handshake);
      clearInterval(pings);
      leave();
    });

    const read = createMessageReader(exchange, feed);
    let isNew = true;
    socket.on('message', (data) => {
      if (over.aborted) return;
      try {
        const { message, isHeartbeat, complaint } = read(data as Buffer);
        if (!isHeartbeat) silence?.refresh();
        feed.onMessage(message, send);
        if (complaint !== undefined) onExchangeError(complaint);
        if (isHeartbeat || complaint !== undefined) return;
        if (isNew) meanwhile(sendConnectionSupplements(exchange, feed, send, over));
        isNew = false;
        onMessage(message);
      } catch (error) {
        end(error);
      }
    });
    socket.on('open', () => {
      clearTimeout(handshake);
      meanwhile(subscribe(feed, send, over));
    });
    socket.on('unexpected-response', (request, { statusCode = 0, headers }) => {
      request.destroy();
      end(createHandshakeError(host, statusCode, headers));
    });
    socket.on('error', (error) => end(toSocketError(error, host)));
    socket.on('close', (code, reason) => end(createClosedError(host, code, reason.toString())));
  });
}

function connectThrough(tunnel: Tunnel, signal: AbortSignal): typeof createConnection {
  const connect = (_: unknown, done: (error: unknown, socket?: unknown) => void): void => {
    tunnel(signal).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error),
    );
  };
  // Node's client takes one that gives its socket later (http.request, createConnection).
  return connect as unknown as typeof createConnection;
}

async function subscribe(feed: LiveFeed, send: (message: unknown) => void, over: AbortSignal): Promise<void> {
  feed.onOpen(send);
  for (const message of feed.subscriptions()) {
    send(message);
    if (feed.throttleMs > 0) await wait(feed.throttleMs, over);
  }
}

interface ReceivedMessage {
  readonly message: unknown;
  readonly isHeartbeat: boolean;
  readonly complaint: string | undefined;
}

/** @returns a function that reads messages, and throws where one tells an error, or isn't the exchange's. */
function createMessageReader(exchange: string, feed: LiveFeed): (data: Buffer) => ReceivedMessage {
  const parse = createMessageParser(exchange);
  return (data) => {
    try {
      const text = feed.decode(data).toString();
      const message = parse(text);
      const verdict = feed.judge(message);
      if (verdict === 'error') throw createExchangeError(exchange, text, message);
      const complaint =
        verdict === 'ignored' ? createExchangeError(exchange, text, message).message : undefined;
      return { message, isHeartbeat: verdict === 'heartbeat', complaint };
    } catch (cause) {
      if (cause instanceof TickhaulError) throw cause;
      throw new TickhaulError('corrupt', `${exchange} sent a message that can't be read`, { cause });
    }
  };
}

function toSocketError(error: Error, host: string): TickhaulError {
  if ('code' in error && String(error.code).startsWith('WS_ERR')) {
    return new TickhaulError('corrupt', `${host} sent what is no message of a WebSocket: ${error.message}`);
  }
  return toNetworkError(error, host);
}
