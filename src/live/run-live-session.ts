import type { createConnection } from 'node:net';
import WebSocket from 'ws';
import { abortReason, TickhaulError } from '../base/errors.js';
import { VERSION } from '../base/packages.js';
import { formatDuration } from '../base/units.js';
import { onAbort, wait, waitForAbort } from '../base/wait.js';
import { createMessageParser } from '../exchange-adapters/feed-lines.js';
import type { LiveFeed } from '../exchange-adapters/live-feeds/live-feed.js';
import type { FeedOpener } from '../exchange-adapters/live-feeds/plan-live-feeds.js';
import { createTunnel, type Tunnel } from '../http/http-agents.js';
import { toNetworkError } from '../http/network-error.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { ServiceClient } from '../service/service-client.js';
import { createClosedError, createExchangeError, createHandshakeError } from './connection-errors.js';
import { fetchSupplements, resolveSocketAddress, sendConnectionSupplements } from './exchange-requests.js';

/** `onMessage` receives each message of any connection or request. An error that it throws ends the session. */
interface LiveSessionInput extends Omit<ConnectionInput, 'feed'> {
  readonly filters: readonly FeedFilter[];
  readonly open: FeedOpener;
  /** Delay in milliseconds between the first message and the first HTTP request. */
  readonly supplementDelayMs: number;
}

/**
 * Runs all connections of an exchange and its HTTP requests. If one of them ends, the session ends: their
 * messages are normalized together, and a book with missing messages is useless. Never resolves.
 * @throws the reason of the end, as `runConnection` and `fetchSupplements`; the signal's reason after an
 * abort.
 */
export async function runLiveSession(input: LiveSessionInput): Promise<never> {
  const { exchange, open, onMessage, supplementDelayMs, signal } = input;
  if (signal.aborted) throw abortReason(signal);
  const ended = new AbortController();
  const removeListener = onAbort(signal, () => ended.abort(abortReason(signal)));
  let onFirstMessage = (): void => {};
  const firstMessage = new Promise<void>((resolve) => {
    onFirstMessage = resolve;
  });
  const onConnectionMessage = (message: unknown): void => {
    onFirstMessage();
    onMessage(message);
  };
  const fetching = async (): Promise<void> => {
    await Promise.race([firstMessage, waitForAbort(ended.signal)]);
    await wait(supplementDelayMs, ended.signal);
    await fetchSupplements({ ...input, signal: ended.signal });
  };
  const feeds = open();
  if (feeds.length === 0) onFirstMessage();
  const connections = feeds.map((feed) =>
    runConnection({ ...input, exchange, feed, onMessage: onConnectionMessage, signal: ended.signal }),
  );
  const all = [...connections, fetching()];
  try {
    return await new Promise<never>((_, reject) => {
      for (const part of all) part.catch(reject);
    });
  } finally {
    ended.abort();
    removeListener();
    await Promise.allSettled(all);
  }
}

const PING_MS = 5000;

interface ConnectionInput {
  readonly exchange: string;
  readonly feed: LiveFeed;
  readonly client: ServiceClient;
  /** Timeout in milliseconds for each message, counted from the start of the connection; 0 for none. */
  readonly timeoutIntervalMs: number;
  /** Timeout of the handshake in milliseconds, independent of `timeoutIntervalMs`. */
  readonly handshakeMs: number;
  /** Receives each parsed data message. An error that it throws ends the connection. */
  readonly onMessage: (message: unknown) => void;
  /** Called with an exchange's error that does not end the connection, such as an unknown symbol. */
  readonly onExchangeError: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs one connection to an exchange, from its handshake to its end. Never resolves.
 * @throws the reason of the end: TickhaulError, or what `onMessage` throws; the signal's reason after an
 * abort.
 */
async function runConnection(input: ConnectionInput): Promise<never> {
  const { exchange, feed, client, signal } = input;
  const url = await resolveSocketAddress(client, exchange, feed, signal);
  const tunnel = createTunnel(client.config.env, url);
  const ended = new AbortController();
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    headers: { 'user-agent': `tickhaul/${VERSION}`, ...feed.headers },
    ...(feed.origin !== undefined && { origin: feed.origin }),
    ...(tunnel && { createConnection: connectThrough(tunnel, ended.signal) }),
  });
  try {
    return await waitForEnd(socket, url.host, input, ended.signal);
  } finally {
    ended.abort();
    // Ignore errors after the end.
    socket.on('error', () => {});
    if (socket.readyState === WebSocket.OPEN) socket.close();
    socket.terminate();
  }
}

/** @param ended aborted when the connection has ended. */
function waitForEnd(
  socket: WebSocket,
  host: string,
  { exchange, feed, timeoutIntervalMs, handshakeMs, onMessage, onExchangeError, signal }: ConnectionInput,
  ended: AbortSignal,
): Promise<never> {
  return new Promise((_, end) => {
    const send = (message: unknown): void => {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    };
    /** Runs work during the connection; an error of it ends the connection, unless that has ended before. */
    const runAlongside = (work: Promise<void>): void => void work.catch(end);
    const onSilence = (): void => {
      const timeout = formatDuration(timeoutIntervalMs);
      end(new TickhaulError('stalled', `${host}: no message within ${timeout}`));
    };
    const silence = timeoutIntervalMs > 0 ? setTimeout(onSilence, timeoutIntervalMs) : undefined;
    const onHandshakeTimeout = (): void => {
      const timeout = formatDuration(handshakeMs);
      end(new TickhaulError('unreachable', `${host} cannot be reached: no handshake within ${timeout}`));
    };
    const handshake = setTimeout(onHandshakeTimeout, handshakeMs);
    const pings = setInterval(() => {
      if (feed.ping) feed.ping(send);
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, PING_MS);
    const removeListener = onAbort(signal, () => end(abortReason(signal)));
    ended.addEventListener('abort', () => {
      clearTimeout(silence);
      clearTimeout(handshake);
      clearInterval(pings);
      removeListener();
    });

    const read = createMessageReader(exchange, feed);
    let isNew = true;
    socket.on('message', (data) => {
      if (ended.aborted) return;
      try {
        const { message, isHeartbeat, exchangeError } = read(data as Buffer);
        if (!isHeartbeat) silence?.refresh();
        feed.onMessage(message, send);
        if (exchangeError !== undefined) onExchangeError(exchangeError);
        if (isHeartbeat || exchangeError !== undefined) return;
        if (isNew) runAlongside(sendConnectionSupplements(exchange, feed, send, ended));
        isNew = false;
        onMessage(message);
      } catch (error) {
        end(error);
      }
    });
    socket.on('open', () => {
      clearTimeout(handshake);
      runAlongside(subscribe(feed, send, ended));
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
  // Node's HTTP client also accepts a `createConnection` that passes its socket to a callback.
  return connect as unknown as typeof createConnection;
}

async function subscribe(
  feed: LiveFeed,
  send: (message: unknown) => void,
  ended: AbortSignal,
): Promise<void> {
  feed.onOpen(send);
  for (const message of feed.subscriptions()) {
    send(message);
    if (feed.throttleMs > 0) await wait(feed.throttleMs, ended);
  }
}

interface ReceivedMessage {
  readonly message: unknown;
  readonly isHeartbeat: boolean;
  readonly exchangeError: string | undefined;
}

/**
 * Creates a function that decodes messages. It throws for an error message that ends the connection, and for
 * an invalid one.
 */
function createMessageReader(exchange: string, feed: LiveFeed): (data: Buffer) => ReceivedMessage {
  const parse = createMessageParser(exchange);
  return (data) => {
    try {
      const text = feed.decode(data).toString();
      const message = parse(text);
      const kind = feed.classify(message);
      if (kind === 'error') throw createExchangeError(exchange, text, message);
      const exchangeError =
        kind === 'ignored' ? createExchangeError(exchange, text, message).message : undefined;
      return { message, isHeartbeat: kind === 'heartbeat', exchangeError };
    } catch (cause) {
      if (cause instanceof TickhaulError) throw cause;
      throw new TickhaulError('corrupt', `${exchange} sent an unreadable message`, { cause });
    }
  };
}

function toSocketError(error: Error, host: string): TickhaulError {
  if ('code' in error && String(error.code).startsWith('WS_ERR')) {
    return new TickhaulError('corrupt', `${host} sent an invalid WebSocket message: ${error.message}`);
  }
  return toNetworkError(error, host);
}
