import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError, usageError } from '../../base/errors.js';
import type { SandboxRequest } from '../sandbox-options.js';

/** One request and its response. */
export interface SandboxCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: SandboxRequest['host'];
  readonly settings: CallSettings;
}

/** Settings of all responses. */
export interface CallSettings {
  readonly latencyMs: number;
  /** Bytes per second of each body. */
  readonly rate: number;
  /** Aborted when the service closes. */
  readonly signal: AbortSignal;
  readonly log: (request: SandboxRequest) => void;
}

/** A handler of one host's requests. */
export type SandboxHandler = (call: SandboxCall) => Promise<void>;

/** The path and query of the request. */
export function parseTarget({ request }: SandboxCall): URL {
  return new URL(request.url ?? '/', 'http://sandbox.invalid');
}

/** The origin at which the client sent its request. */
export function readOrigin({ request }: SandboxCall): string {
  return `http://${request.headers.host}`;
}

/** Sends status and headers, after the latency. Every response starts here and is logged here. */
export async function startResponse(
  call: SandboxCall,
  status: number,
  headers: OutgoingHttpHeaders,
  fault?: SandboxRequest['fault'],
): Promise<void> {
  const { response, settings } = call;
  if (settings.latencyMs > 0) await sleep(settings.latencyMs, undefined, { signal: settings.signal });
  logResponse(call, status, fault);
  response.writeHead(status, headers);
  response.flushHeaders();
}

/** @param status 0 if the connection is reset without a response. */
export function logResponse(
  { request, host, settings }: SandboxCall,
  status: number,
  fault: SandboxRequest['fault'],
): void {
  settings.log({
    host,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    authorization: request.headers.authorization !== undefined,
    status,
    fault,
    range: request.headers.range,
  });
}

/** Sends a complete response with a text body. */
export async function sendText(
  call: SandboxCall,
  status: number,
  contentType: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
  fault?: SandboxRequest['fault'],
): Promise<void> {
  const length = Buffer.byteLength(text);
  await startResponse(
    call,
    status,
    { 'Content-Type': contentType, 'Content-Length': length, ...headers },
    fault,
  );
  call.response.end(call.request.method === 'HEAD' ? '' : text);
}

export function sendSandboxJson(
  call: SandboxCall,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
  fault?: SandboxRequest['fault'],
): Promise<void> {
  return sendText(call, status, 'application/json', JSON.stringify(value), headers, fault);
}

/** Sends an error response of the data hosts (`docs/spec/datasets-api.md#data-errors`). */
export function sendSandboxError(
  call: SandboxCall,
  status: number,
  code: number,
  message: string,
): Promise<void> {
  return sendSandboxJson(call, status, { code, message });
}

/** The names of the parameters in a path. */
type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Handles the calls of a route. The parameters are as in the URL, not decoded. */
export type RouteHandler<Name extends string = never> = (
  call: SandboxCall,
  params: Readonly<Record<Name, string>>,
) => Promise<void>;

/** An entry of a host's table. */
export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handle: RouteHandler<string>;
}

/**
 * An entry of a host's table, such as `route('GET', '/v1/exchanges/:id', handle)`.
 * @param method `*` for any method.
 * @param path its segments; `:name` is any segment, and `/*` at the end any further ones, or none.
 */
export function route<Path extends string>(
  method: string,
  path: Path,
  handle: RouteHandler<Names<Path>>,
): Route {
  const pattern = path
    .replace(/\/\*$/, '<rest>')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace('<rest>', '(?:/.*)?');
  return { method, pattern: new RegExp(`^${pattern}$`), handle };
}

/** Calls the first route with the method and path of a call, or else the fallback. */
export function createRouter(routes: readonly Route[], fallback: SandboxHandler): SandboxHandler {
  return (call) => {
    const { pathname } = parseTarget(call);
    for (const { method, pattern, handle } of routes) {
      const match = method === '*' || method === call.request.method ? pattern.exec(pathname) : null;
      if (match) return handle(call, { ...match.groups });
    }
    return fallback(call);
  };
}

/** A server on loopback. */
export interface Listener {
  /** Without a slash at the end. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Serves the handler on 127.0.0.1.
 * @param port 0 for any free port.
 * @throws usage error for a port that is taken or not allowed.
 */
export async function listenOnLoopback(
  host: SandboxRequest['host'],
  port: number,
  handler: SandboxHandler,
  settings: CallSettings,
): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const call = { request, response, host, settings };
    // Some handlers throw before they return a promise, such as for an address that cannot be decoded.
    const handle = async (): Promise<void> => handler(call);
    handle().catch((error: unknown) => {
      // The client disconnected, or the service is closing. Any other error is sent to the client.
      if (response.headersSent || response.destroyed || settings.signal.aborted) response.destroy();
      else
        sendSandboxError(call, 500, 500, `The embedded service failed: ${error}`).catch(() =>
          response.destroy(),
        );
    });
  });
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    throw isSystemError(error)
      ? usageError(
          `cannot listen on 127.0.0.1:${port} (${error.code}); use another port, or 0 for any free port`,
        )
      : error;
  }
  const { port: actual } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${actual}`, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
