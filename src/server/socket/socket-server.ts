import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import type { LiveEvent } from '../../live/live-options.js';
import { streamLive } from '../../live/stream-live.js';
import { tooManyClients } from '../client-limits.js';
import { readTarget, type SOCKET_PATHS, toOriginForm, UPGRADE_MESSAGE } from '../endpoints.js';
import { sendJsonResponse } from '../http-endpoints/http-call.js';
import { FOREIGN_ORIGIN_MESSAGE, SERVER_LIMITS } from '../http-endpoints/http-server.js';
import type { OriginGuard } from '../http-endpoints/origin-guard.js';
import { replayNormalized } from '../replay-normalized.js';
import {
  parseNormalizedOptions,
  parseOptionsParameter,
  parseServerStreamOptions,
  type ServerStreamOptions,
} from '../request-options.js';
import type { ServerContext } from '../server-context.js';
import { openReplaySocket, type ReplaySessions } from './replay-session.js';
import { CLOSE_CODE, closeWithError, createFrameSink, SocketClient } from './socket-client.js';

/** Maximum size of a client's frame, in bytes. */
const MAX_PAYLOAD_BYTES = 512 * 1024;
const PING_INTERVAL_MS = 30_000;
/** Time for a client to respond to a close frame at shutdown. */
const CLOSE_TIMEOUT_MS = 200;
/** The same for a stalled client, which may have to read some megabytes first. */
const STALLED_CLOSE_MS = 1000;

/** Time for a client above the limit to respond to a close frame. */
const REFUSED_MS = 1000;

type OpenSocket = (client: SocketClient, query: URLSearchParams) => unknown;

export interface SocketServer {
  /** Does not listen yet. */
  readonly server: Server;
  /** Closes stalled connections; a client that does not respond in time is disconnected. */
  closeStalled(): Promise<void>;
  /** Closes all connections; a client that does not respond in time is disconnected. */
  close(): Promise<void>;
}

/** Creates the WebSocket endpoints. */
export function createSocketServer(context: ServerContext, guard: OriginGuard): SocketServer {
  const { log } = context.options;
  const sessions: ReplaySessions = new Map();
  const clients = new Set<SocketClient>();
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD_BYTES,
    clientTracking: false,
  });
  const routes: Readonly<Record<(typeof SOCKET_PATHS)[number], OpenSocket>> = {
    '/ws-replay': (client, query) => openReplaySocket(context, sessions, client, query),
    '/ws-replay-normalized': (client, query) => openNormalizedSocket(context, client, query),
    '/ws-stream-normalized': (client, query) => openStreamSocket(context, client, query),
  };
  const server = createUpgradeServer();
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => connection.destroy());
    toOriginForm(request);
    if (guard.isForeignPage(request) || guard.isForeignHost(request)) return refuseConnection(connection);
    void (async () => {
      const hasRoom = await enter(connection);
      upgrades.handleUpgrade(request, connection, head, (ws) => open(ws, request, connection, hasRoom));
    })().catch(() => connection.destroy());
  });
  /** A client counts until its connection is closed. */
  const enter = async (connection: Duplex): Promise<boolean> => {
    const hasRoom = await context.clients.tryAcquire();
    if (!hasRoom) return false;
    if (connection.destroyed) context.clients.release();
    else connection.once('close', () => context.clients.release());
    return true;
  };
  const open = (ws: WebSocket, request: IncomingMessage, connection: Duplex, hasRoom: boolean): void => {
    const client = new SocketClient(ws, connection, context.metrics);
    clients.add(client);
    ws.once('close', (code) => {
      clients.delete(client);
      log.request?.(`WS ${request.url} ${code}`);
    });
    if (!hasRoom) {
      client.close(CLOSE_CODE.tryLater, tooManyClients(context.options.maxClients).message);
      setTimeout(() => client.cut(), REFUSED_MS).unref();
      return;
    }
    const { path, query } = readTarget(request.url);
    const route = Object.hasOwn(routes, path) ? routes[path as keyof typeof routes] : undefined;
    if (route) route(client, query);
    else
      client.close(
        CLOSE_CODE.policy,
        `no such path: ${path}; valid paths: ${Object.keys(routes).join(', ')}`,
      );
  };
  const beating = setInterval(() => {
    for (const client of clients) client.ping();
  }, PING_INTERVAL_MS);
  beating.unref();
  return {
    server,
    closeStalled: () =>
      closeAll(
        [...clients].filter(({ isStalled }) => isStalled),
        STALLED_CLOSE_MS,
      ),
    close() {
      clearInterval(beating);
      return closeAll([...clients], CLOSE_TIMEOUT_MS);
    },
  };
}

async function closeAll(clients: readonly SocketClient[], timeoutMs: number): Promise<void> {
  if (clients.length === 0) return;
  for (const client of clients) client.close(CLOSE_CODE.goingAway, 'the server ends');
  await wait(timeoutMs);
  for (const client of clients) client.cut();
}

/** Creates a server that refuses requests without an upgrade. It does not listen yet. */
export function createUpgradeServer(): Server {
  return createServer(SERVER_LIMITS, (request, response) => {
    request.resume();
    // A 426 response must name the protocol (RFC 9110, section 15.5.22).
    const headers = { connection: 'upgrade', upgrade: 'websocket' };
    sendJsonResponse({ response }, 426, { message: UPGRADE_MESSAGE }, headers);
  });
}

function refuseConnection(connection: Duplex): void {
  const body = JSON.stringify({ message: FOREIGN_ORIGIN_MESSAGE });
  const head = `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  connection.end(head + body);
}

/** `/ws-replay-normalized`: normalized messages, one per frame (`docs/spec/local-server.md#normalized-options`). */
function openNormalizedSocket(
  context: ServerContext,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return runSocketTask(context, '/ws-replay-normalized', client, async (stop) => {
    const options = parseNormalizedOptions(parseOptionsParameter(query), context.warnOnce);
    const target = {
      output: createFrameSink(client),
      written: { messages: 0, bytes: 0 },
      signal: stop.signal,
    };
    await context.openResponses.run(stop, () => replayNormalized(context, options, target));
    client.close(CLOSE_CODE.finished, 'WS replay-normalized finished');
  });
}

/** A live stream closes a client with more unsent bytes (`docs/spec/local-server.md#websocket-frames`). */
const MAX_WAITING_BYTES = 5 * 1024 * 1024;

/** `/ws-stream-normalized`: live normalized messages, one per frame (`docs/spec/local-server.md#stream-options`). */
function openStreamSocket(
  context: ServerContext,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return runSocketTask(context, '/ws-stream-normalized', client, async (stop) => {
    const options = parseServerStreamOptions(parseOptionsParameter(query), context.warnOnce);
    if (options.length === 0) return client.close(CLOSE_CODE.finished, 'WS stream-normalized finished');
    const emit = (event: LiveEvent): void => {
      logEvent(context, event);
      sendEvent(client, options, event);
      if (event.event !== 'behind') return;
      client.close(CLOSE_CODE.policy, 'Too much backpressure');
      stop.abort(new TickhaulError('reset', 'the client is too slow'));
    };
    const { feeds, records } = context.options;
    const live = {
      options,
      client: feeds.client,
      cache: records,
      output: createFrameSink(client),
      maxWaitingBytes: MAX_WAITING_BYTES,
      written: { messages: 0, bytes: 0 },
      emit,
      signal: stop.signal,
    };
    await context.openResponses.runEndless(stop, () => streamLive(live));
    // A stream ends without an error only if it was aborted.
    throw abortReason(stop.signal);
  });
}

function logEvent({ options: { log }, warnOnce }: ServerContext, event: LiveEvent): void {
  if (event.event === 'warning') warnOnce(event.message);
  else if (event.event === 'behind')
    log.debug?.(`/ws-stream-normalized: ${event.exchange}: the client is too slow`);
  else
    log.debug?.(
      `/ws-stream-normalized: ${event.error.message}; reconnecting in ${Math.round(event.waitMs)}ms`,
    );
}

/** Sends an `error` message in the form of the vendor's server, if the client has requested these messages. */
function sendEvent(client: SocketClient, options: readonly ServerStreamOptions[], event: LiveEvent): void {
  if (event.event !== 'disconnect') return;
  const { exchange, error, failures } = event;
  if (!options.some((option) => option.exchange === exchange && option.withErrorMessages)) return;
  const message = {
    type: 'error',
    exchange,
    localTimestamp: new Date(),
    details: error.message,
    // Count this failure, too, even if the connection had lasted long.
    subSequentErrorsCount: Math.max(1, failures),
  };
  client.send(JSON.stringify(message));
}

/**
 * Runs the work of a connection. An error closes the connection with its message.
 * @param work closes the connection when it is done. Its controller is aborted if the client disconnects.
 */
async function runSocketTask(
  context: ServerContext,
  path: string,
  client: SocketClient,
  work: (stop: AbortController) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  client.signal.addEventListener('abort', () => stop.abort(client.signal.reason));
  // Reading the client's messages lets them count as activity.
  client.onText(() => {});
  try {
    await work(stop);
  } catch (error) {
    closeWithError(context, path, [client], error);
  }
}
