import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { bugStack, toRunFailure } from '../../events/run-failure.js';
import type { ServerContext } from '../server-context.js';
import { errorToStatus } from './error-to-status.js';

/** One HTTP request with its response. */
export interface HttpCall {
  readonly context: ServerContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** In lower case, without a trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Handles a request; the client gets the message of a thrown error. */
export type HttpHandler = (call: HttpCall) => Promise<void> | void;

/** Session key of a `/ws-replay` connection; connections with the same key are replayed together. */
export function parseSessionKey(query: URLSearchParams): string | undefined {
  return query.get('session') || undefined;
}

export function sendJsonResponse(
  { response }: Pick<HttpCall, 'response'>,
  status: number,
  value: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Sends an error as JSON with its status. Only possible before the first byte of the response. */
export function sendErrorResponse(call: HttpCall, error: unknown): void {
  logBug(call.context, error);
  const { options } = call.context;
  sendJsonResponse(call, errorToStatus(error, options), { message: toRunFailure(error).error.message });
}

/** Aborts a response. In HTTP/1.0 a closed connection is a regular end, so the connection is reset instead. */
export function abortResponse({ request, response }: Pick<HttpCall, 'request' | 'response'>): void {
  if (request.httpVersion === '1.0') response.socket?.resetAndDestroy();
  else response.destroy();
}

/** Logs the stack of an unexpected error. */
export function logBug({ options }: ServerContext, error: unknown): void {
  const stack = bugStack(error);
  if (stack !== undefined) options.log.warn(stack);
}
