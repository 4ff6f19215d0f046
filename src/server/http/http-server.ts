import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';
import { createPageRoutes } from '../page/page-routes.js';
import type { ServerContext } from '../server-context.js';
import { formatMetrics } from '../server-metrics.js';
import { handleReplay } from './handle-replay.js';
import { handleReplayNormalized } from './handle-replay-normalized.js';
import { createHealthReport } from './health-check.js';
import {
  abortResponse,
  type HttpHandler,
  readTarget,
  sendErrorResponse,
  sendJsonResponse,
} from './http-call.js';
import type { OriginGuard } from './origin-guard.js';

/** Bounds of what a client may hold while it asks for nothing, in bytes and milliseconds. */
export const SERVER_LIMITS = {
  /** A list of symbols in an address is long. */
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
    sendJsonResponse(call, 200, createHealthReport(await call.serving.counts())),
  '/metrics': async ({ response, serving }) => {
    const { metrics } = await serving.counts();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(formatMetrics(metrics));
  },
};

/** Probes come under any name, and learn nothing that the key opens. */
const KEYLESS: ReadonlySet<string> = new Set(['/health-check', '/metrics']);

/** What is told to pages and under names that may not use the server. */
export const FOREIGN_ORIGIN_MESSAGE =
  'not for pages of another origin, or under another name; --allow-origin http://<name> lets one in';

/** The HTTP endpoints; nothing listens yet. */
export function createHttpServer(serving: ServerContext, guard: OriginGuard): Server {
  const { request: logRequest } = serving.options.log;
  const routes = { ...ROUTES, ...createPageRoutes(serving) };
  return createServer(SERVER_LIMITS, (request, response) => {
    if (logRequest) logFinishedRequest(request, response, logRequest);
    void answer({ serving, guard, routes }, request, response);
  });
}

interface RequestContext {
  readonly serving: ServerContext;
  readonly guard: OriginGuard;
  readonly routes: Readonly<Record<string, HttpHandler>>;
}

async function answer(
  { serving, guard, routes }: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = { serving, request, response, ...readTarget(request.url) };
  // A body that nobody reads would hold the connection.
  request.resume();
  try {
    // One that is sent behind another has its turn then; where the connection closes before, nothing was begun.
    if (response.socket === null) await once(response, 'socket');
    const allowed = guard.allowedOrigin(request);
    // Without that its browser keeps the answer from the page.
    if (allowed !== undefined) response.setHeader('access-control-allow-origin', allowed);
    const isForeignHost = isPagePath(call.path) ? guard.isForeignHost : guard.isUntrustedHost;
    if (guard.isForeignPage(request) || (!KEYLESS.has(call.path) && isForeignHost(request))) {
      return sendJsonResponse(call, 403, { message: FOREIGN_ORIGIN_MESSAGE });
    }
    const route = Object.hasOwn(routes, call.path) ? routes[call.path] : undefined;
    if (request.method === 'GET' && route) return await route(call);
    response.writeHead(404).end();
  } catch (error) {
    if (response.headersSent) abortResponse(call);
    else sendErrorResponse(call, error);
  }
}

/** The page, and what it asks for. */
function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/page/');
}

/** A line a request, when it is over. */
function logFinishedRequest(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): void {
  const started = performance.now();
  response.once('close', () => {
    const how = response.writableFinished ? String(response.statusCode) : 'broken off';
    log(sanitizeForTerminal(`${method} ${url} ${how} ${Math.round(performance.now() - started)}ms`));
  });
}
