import type { IncomingMessage, ServerResponse } from 'node:http';
import { bugStack, toRunFailure } from '../../run/run-failure.js';
import type { ServerContext } from '../server-context.js';
import { errorToStatus } from './error-to-status.js';

/** One HTTP request, and who answers it. */
export interface HttpCall {
  readonly serving: ServerContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Lower case, without a slash at its end. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Answers a request; what it throws is told to the client. */
export type HttpHandler = (call: HttpCall) => Promise<void> | void;

/** Path and query of an address: the path in any case, with or without a slash at its end. */
export function readTarget(url = '/'): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  return { path: path.toLowerCase().replace(/(.)\/$/, '$1'), query: new URLSearchParams(query) };
}

/** Connections of `/ws-replay` that name the same are replayed together; an empty key is none. */
export function parseSessionKey(query: URLSearchParams): string | undefined {
  return query.get('session') || undefined;
}

export function sendJsonResponse(
  { response }: Pick<HttpCall, 'response'>,
  status: number,
  value: object,
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Says why a request can't be answered, before the first byte of an answer. */
export function sendErrorResponse(call: HttpCall, error: unknown): void {
  logBug(call.serving, error);
  const { options } = call.serving;
  sendJsonResponse(call, errorToStatus(error, options), { message: toRunFailure(error).error.message });
}

/** Cuts an answer off. For HTTP/1.0, as proxies speak it, a closed connection is its end: only a reset tells the two apart. */
export function abortResponse({ request, response }: Pick<HttpCall, 'request' | 'response'>): void {
  if (request.httpVersion === '1.0') response.socket?.resetAndDestroy();
  else response.destroy();
}

/** A bug's stack goes to the log. */
export function logBug({ options }: ServerContext, error: unknown): void {
  const stack = bugStack(error);
  if (stack !== undefined) options.log.warn(stack);
}
