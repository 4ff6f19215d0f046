import { Readable } from 'node:stream';
import { abortReason, TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import type { Connections, DispatchedRequest, RequestController, ResponseHeaders } from './http-agents.js';
import { WatchedBody } from './watched-body.js';

/** A large body is sent in pieces of this size, so that a stall is noticed. */
const PIECE_BYTES = 64 * 1024;

export interface HttpRequestOptions {
  /** Host and path, for errors. */
  readonly name: string;
  /**
   * Longest time without progress: first until a piece is sent or the response starts, then between its
   * bytes.
   */
  readonly stallTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A response whose body may still be arriving. */
export interface HttpResponse {
  readonly status: number;
  /** Keys are in lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WatchedBody;
}

/**
 * Sends a request and resolves when the response headers arrive. An abort also ends the body. The sent bytes
 * must not change until the response ends.
 * @throws TickhaulError `stalled`; the abort reason; undici's errors unchanged.
 */
export function sendHttpRequest(
  connections: Connections,
  request: DispatchedRequest,
  { name, stallTimeoutMs, signal }: HttpRequestOptions,
): Promise<HttpResponse> {
  // Without this check the request would be sent, and no abort event would cancel it.
  if (signal?.aborted) return Promise.reject(abortReason(signal));
  return new Promise((resolve, reject) => {
    let controller: RequestController | undefined;
    let responseBody: WatchedBody | undefined;
    let abortError: TickhaulError | undefined;

    const fail = (reason: Error): void => {
      cleanUp();
      if (responseBody) responseBody.fail(reason);
      else reject(reason);
    };
    const abortRequest = (reason: TickhaulError): void => {
      abortError = reason;
      fail(reason);
      controller?.abort(reason);
    };
    const onAbort = (): void => {
      if (signal) abortRequest(abortReason(signal));
    };
    const timer = setTimeout(() => {
      const duration = formatDuration(stallTimeoutMs);
      abortRequest(new TickhaulError('stalled', `${name}: no response within ${duration}`));
    }, stallTimeoutMs);
    const cleanUp = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const { body: requestBody } = request;
    const isLarge = requestBody instanceof Uint8Array && requestBody.length > PIECE_BYTES;
    const body = isLarge
      ? Readable.from(
          splitBody(requestBody, () => timer.refresh()),
          { objectMode: false },
        )
      : requestBody;
    connections.dispatch(
      { ...request, body },
      {
        onRequestStart(started) {
          controller = started;
          // The request may have been aborted while it waited for a connection.
          if (abortError) started.abort(abortError);
        },
        onResponseStart(response, status, rawHeaders) {
          const isInterim = status < 200;
          if (isInterim) return;
          clearTimeout(timer);
          const headers = flattenHeaders(rawHeaders);
          const source = {
            pause: () => response.pause(),
            resume: () => response.resume(),
            abort: () => response.abort(new TickhaulError('reset', `${name}: not read to its end`)),
          };
          responseBody = new WatchedBody(source, {
            name,
            stallTimeoutMs,
            // A response to HEAD has the Content-Length of GET, but no body.
            announcedBytes: request.method === 'HEAD' ? undefined : parseByteCount(headers['content-length']),
          });
          resolve({ status, headers, body: responseBody });
        },
        onResponseData(_, chunk) {
          responseBody?.push(chunk);
        },
        onResponseEnd() {
          cleanUp();
          responseBody?.finish();
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

/** @param onPiece called before each piece. */
function* splitBody(bytes: Uint8Array, onPiece: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    onPiece();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

function flattenHeaders(headers: ResponseHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name in headers) flat[name] = String(headers[name]);
  return flat;
}

/** Parses a byte count from a header; undefined if it is missing or not a plain number. */
export function parseByteCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Receives a line about each request for `--verbose`, without secrets. */
export type RequestLog = (line: string) => void;

/** A request in flight. A line is logged when it gets a response or fails. */
interface LoggedRequest {
  onResponse(status: number): void;
  onFailure(reason: TickhaulError): void;
}

/** @param formatRequest formats method and address without secrets; called only if there is a log. */
export function startRequestLog(log: RequestLog | undefined, formatRequest: () => string): LoggedRequest {
  const startMs = performance.now();
  const logOutcome = (outcome: string | number): void =>
    log?.(`${formatRequest()} ${outcome} ${Math.round(performance.now() - startMs)}ms`);
  return { onResponse: logOutcome, onFailure: ({ code }) => logOutcome(code) };
}
