import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import { bugStack, toRunFailure } from '../../events/run-failure.js';
import type { ServeOptions, ServerContext } from '../server-context.js';

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

/** Statuses of the service that are passed on (`docs/spec/local-server.md#http-answers`). */
const FORWARDED_STATUSES = new Set([400, 401, 403, 404, 429]);

const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  rejected: 400,
  bad_key: 401,
  ip_locked: 403,
  unavailable: 404,
  rate_limited: 429,
  transfer_limit: 429,
  bug: 500,
  disk: 500,
  path_taken: 500,
  unreadable: 500,
};

/** The service is unreachable, silent or failed temporarily. */
const SERVICE_UNAVAILABLE = 503;

/** The HTTP status for an error. */
export function errorToStatus(error: unknown, { feeds }: ServeOptions): number {
  if (!(error instanceof TickhaulError)) return 500;
  const { code, status } = error;
  // A server before the service, or the address of a redirect, refused the request, and not the service.
  const isRefusalElsewhere =
    (code === 'server_error' || code === 'bad_answer') && (status === 401 || status === 403);
  if (!isRefusalElsewhere && status !== undefined && FORWARDED_STATUSES.has(status)) return status;
  if (code === 'no_access') return feeds.client.config.apiKey === undefined ? 401 : 403;
  // A period that is not exported yet is the client's error; with --offline its data may become available.
  if (code === 'not_exported') return feeds.offline ? SERVICE_UNAVAILABLE : 400;
  return STATUS_BY_CODE[code] ?? SERVICE_UNAVAILABLE;
}
