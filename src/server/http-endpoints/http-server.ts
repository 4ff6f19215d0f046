import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TickhaulError, usageError } from '../../base/errors.js';
import { Semaphore } from '../../base/semaphore.js';
import { toRunFailure } from '../../events/run-failure.js';
import {
  fetchInstrument,
  fetchInstruments,
  type InstrumentFilter,
  parseInstrumentFilter,
} from '../../service/records/fetch-instruments.js';
import { describeUnknownPath, readTarget, toOriginForm } from '../endpoints.js';
import { createPageRoutes } from '../page-routes.js';
import type { ServerContext } from '../server-context.js';
import { createHealthReport, formatMetrics } from '../server-metrics.js';
import {
  abortResponse,
  errorToStatus,
  type HttpCall,
  type HttpHandler,
  logBug,
  sendErrorResponse,
  sendJsonResponse,
} from './http-call.js';
import type { OriginGuard } from './origin-guard.js';
import { handleReplay, handleReplayNormalized } from './replay-responses.js';

/** Limits for idle and slow clients, in bytes and milliseconds. */
export const SERVER_LIMITS = {
  /** Addresses may contain long lists of symbols. */
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const;

const ROUTES: Readonly<Record<string, HttpHandler>> = {
  '/replay': handleReplay,
  '/replay-normalized': handleReplayNormalized,
  '/health-check': async (call) =>
    sendJsonResponse(call, 200, createHealthReport(await call.context.counts())),
  '/metrics': async ({ response, context }) => {
    const { metrics } = await context.counts();
    const text = formatMetrics(metrics);
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  },
};

/** Requests of a connection that may wait for the responses before them. */
const MAX_PIPELINED = 100;
/** Waiting requests of each connection. */
const pipelined = new WeakMap<Socket, number>();

/** Lists of instruments may have tens of megabytes, so few are read and sent at once in a process. */
const instrumentLists = new Semaphore(8);
/** Milliseconds in which a client must have read more of a list. */
const LIST_STALL_MS = 10_000;

/** Paths that do not answer HEAD: they would request and read the data of a whole period for it. */
const EXPENSIVE_PATHS: ReadonlySet<string> = new Set(['/replay', '/replay-normalized']);

/** Paths that monitoring may request with any host name, since they reveal no data of the key. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/health-check', '/metrics']);

/** Message for pages and host names that may not use the server. */
export const FOREIGN_ORIGIN_MESSAGE =
  'the origin or the host name is not allowed; allow it with --allow-origin http://<name>';

/** Creates the HTTP server without listening. */
export function createHttpServer(context: ServerContext, guard: OriginGuard): Server {
  const { request: logRequest } = context.options.log;
  const routes = { ...ROUTES, ...createPageRoutes(context) };
  return createServer(SERVER_LIMITS, (request, response) => {
    toOriginForm(request);
    if (logRequest) logFinishedRequest(request, response, logRequest);
    void handleRequest({ context, guard, routes }, request, response);
  });
}

interface HttpServerParts {
  readonly context: ServerContext;
  readonly guard: OriginGuard;
  readonly routes: Readonly<Record<string, HttpHandler>>;
}

async function handleRequest(
  { context, guard, routes }: HttpServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = { context, request, response, ...readTarget(request.url) };
  // An unread body would block the connection.
  request.resume();
  try {
    if (response.socket === null) await waitForTurn(request.socket, response);
    const allowedOrigin = guard.allowedOrigin(request);
    // Without this header the browser hides the response from the page.
    if (allowedOrigin !== undefined) response.setHeader('access-control-allow-origin', allowedOrigin);
    const isForeignHost = isPagePath(call.path) ? guard.isForeignHost : guard.isUntrustedHost;
    if (guard.isForeignPage(request) || (!PUBLIC_PATHS.has(call.path) && isForeignHost(request))) {
      return sendJsonResponse(call, 403, { message: FOREIGN_ORIGIN_MESSAGE });
    }
    const route = findRoute(call.path, routes);
    if (!route) return sendJsonResponse(call, 404, { message: describeUnknownPath(call.path) });
    const methods = EXPENSIVE_PATHS.has(call.path) ? ['GET'] : ['GET', 'HEAD'];
    // Node sends no body in response to HEAD.
    if (methods.includes(request.method ?? '')) return await route(call);
    const allow = methods.join(', ');
    const message = `${call.path} does not support ${request.method}; use ${allow}`;
    sendJsonResponse(call, 405, { message }, { allow });
  } catch (error) {
    if (response.headersSent) abortResponse(call);
    else sendErrorResponse(call, error);
  }
}

/** A pipelined request waits for its turn; if the connection closes before, it is never handled. */
async function waitForTurn(socket: Socket, response: ServerResponse): Promise<void> {
  const waiting = pipelined.get(socket) ?? 0;
  if (waiting >= MAX_PIPELINED) socket.destroy();
  pipelined.set(socket, waiting + 1);
  await once(response, 'socket');
  pipelined.set(socket, (pipelined.get(socket) ?? 0) - 1);
}

function findRoute(path: string, routes: HttpServerParts['routes']): HttpHandler | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  if (!INSTRUMENTS_PATH.test(path)) return undefined;
  return (call) => instrumentLists.run(() => handleInstruments(call));
}

/** Whether a path is the page or one of its endpoints. */
function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/page/');
}

/** Logs one line for each request when it ends. */
function logFinishedRequest(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): void {
  const startMs = performance.now();
  response.once('close', () => {
    const outcome = response.writableFinished ? String(response.statusCode) : 'broken off';
    log(`${method} ${url} ${outcome} ${Math.round(performance.now() - startMs)}ms`);
  });
}

/** The path of an exchange's instruments, or of one of them. */
const INSTRUMENTS_PATH = /^\/v1\/instruments\/([^/]+)(?:\/([^/]+))?$/;

/**
 * `GET /v1/instruments/:exchange[/:symbol]`: instruments as the service describes them, with the key of the server, or
 * from the copy on disk (`docs/spec/local-server.md#instruments`).
 */
async function handleInstruments(call: HttpCall): Promise<void> {
  const { context, path, query, response } = call;
  const { feeds, records } = context.options;
  if (response.destroyed) return;
  const stop = new AbortController();
  response.once('close', () => stop.abort(new TickhaulError('reset', 'the client left')));
  try {
    const [exchange = '', symbol] = (INSTRUMENTS_PATH.exec(path) ?? []).slice(1).map(decodeSegment);
    const filter = readFilter(query);
    const options = { cache: records, offline: feeds.offline, signal: stop.signal };
    const instruments =
      symbol === undefined
        ? await fetchInstruments(feeds.client, exchange, filter, options)
        : await fetchInstrument(feeds.client, exchange, symbol, options);
    if (response.destroyed) return;
    const closed = once(response, 'close');
    response.setTimeout(LIST_STALL_MS);
    sendJsonResponse(call, 200, instruments);
    await closed;
  } catch (error) {
    if (response.destroyed) return;
    logBug(context, error);
    const code = errorToStatus(error, context.options);
    // Clients of the service expect a number beside the message.
    sendJsonResponse(call, code, { code, message: toRunFailure(error).error.message });
  }
}

function decodeSegment(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    throw usageError(`"${segment}" is not URL-encoded`);
  }
}

function readFilter(query: URLSearchParams): InstrumentFilter {
  const text = query.get('filter')?.trim();
  const filter = text ? parseInstrumentFilter(text) : {};
  if (filter) return filter;
  throw usageError(
    `filter: expected a JSON object, as {"baseCurrency":"BTC"}, found "${text?.slice(0, 80)}"`,
  );
}
