import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { printable } from '../../base/printable.js';
import { metricsText } from '../metrics.js';
import { pageRoutes } from '../page/routes.js';
import type { Serving } from '../serving.js';
import { type Answer, cutOff, readTarget, sendError, sendJson } from './call.js';
import type { Guard } from './guard.js';
import { healthOf } from './health-check.js';
import { answerReplay } from './replay.js';
import { answerReplayNormalized } from './replay-normalized.js';

/** Bounds of what a client may hold while it asks for nothing, in bytes and milliseconds. */
export const BOUNDS = {
  /** A list of symbols in an address is long. */
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const;

const ROUTES: Readonly<Record<string, Answer>> = {
  '/replay': answerReplay,
  '/replay-normalized': answerReplayNormalized,
  '/health-check': async (call) => sendJson(call, 200, healthOf(await call.serving.counts())),
  '/metrics': async ({ response, serving }) => {
    const { metrics } = await serving.counts();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(metricsText(metrics));
  },
};

/** Probes come under any name, and learn nothing that the key opens. */
const KEYLESS: ReadonlySet<string> = new Set(['/health-check', '/metrics']);

/** What is told to pages and under names that may not use the server. */
export const FOREIGN =
  'not for pages of another origin, or under another name; --allow-origin http://<name> lets one in';

/** The HTTP endpoints; nothing listens yet. */
export function createHttpServer(serving: Serving, guard: Guard): Server {
  const { request: logRequest } = serving.options.log;
  const routes = { ...ROUTES, ...pageRoutes(serving) };
  return createServer(BOUNDS, (request, response) => {
    if (logRequest) noteRequest(request, response, logRequest);
    void answer({ serving, guard, routes }, request, response);
  });
}

interface Answering {
  readonly serving: Serving;
  readonly guard: Guard;
  readonly routes: Readonly<Record<string, Answer>>;
}

async function answer(
  { serving, guard, routes }: Answering,
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
    const isForeignHost = isOfPage(call.path) ? guard.isForeignHost : guard.isStrangersHost;
    if (guard.isForeignPage(request) || (!KEYLESS.has(call.path) && isForeignHost(request))) {
      return sendJson(call, 403, { message: FOREIGN });
    }
    const route = Object.hasOwn(routes, call.path) ? routes[call.path] : undefined;
    if (request.method === 'GET' && route) return await route(call);
    response.writeHead(404).end();
  } catch (error) {
    if (response.headersSent) cutOff(call);
    else sendError(call, error);
  }
}

/** The page, and what it asks for. */
function isOfPage(path: string): boolean {
  return path === '/' || path.startsWith('/page/');
}

/** A line a request, when it is over. */
function noteRequest(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): void {
  const started = performance.now();
  response.once('close', () => {
    const how = response.writableFinished ? String(response.statusCode) : 'broken off';
    log(printable(`${method} ${url} ${how} ${Math.round(performance.now() - started)}ms`));
  });
}
