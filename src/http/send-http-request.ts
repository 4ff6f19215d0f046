import { Readable } from 'node:stream';
import { abortReason, TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import type { Connections, DispatchedRequest, RequestController, ResponseHeaders } from './http-agents.js';
import { WatchedBody } from './watched-body.js';

/** Bytes of a large body that are handed over at a time. */
const PIECE_BYTES = 64 * 1024;

export interface HttpRequestOptions {
  /** What errors name: host and path. */
  readonly name: string;
  /** Milliseconds in which no piece of the body is taken, and no answer comes, and then no byte of it. */
  readonly stallTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An answer whose bytes may still be on their way. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WatchedBody;
}

/**
 * One request and its answer, without a stream of undici's between: what comes goes to the body at once.
 * An abort ends the body too. Bytes that are sent must stay as they are until then.
 * @throws TickhaulError `stalled`; the signal's reason; undici's own errors.
 */
export function sendHttpRequest(
  connections: Connections,
  request: DispatchedRequest,
  { name, stallTimeoutMs, signal }: HttpRequestOptions,
): Promise<HttpResponse> {
  // It would be sent, and nobody would break it off.
  if (signal?.aborted) return Promise.reject(abortReason(signal));
  return new Promise((resolve, reject) => {
    let controller: RequestController | undefined;
    let answer: WatchedBody | undefined;
    let broken: TickhaulError | undefined;

    const end = (reason: Error): void => {
      letGo();
      if (answer) answer.fail(reason);
      else reject(reason);
    };
    const breakOff = (reason: TickhaulError): void => {
      broken = reason;
      end(reason);
      controller?.abort(reason);
    };
    const onAbort = (): void => {
      if (signal) breakOff(abortReason(signal));
    };
    const timer = setTimeout(() => {
      const patience = formatDuration(stallTimeoutMs);
      breakOff(new TickhaulError('stalled', `${name}: no answer within ${patience}`));
    }, stallTimeoutMs);
    const letGo = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };

    signal?.addEventListener('abort', onAbort, { once: true });
    const { body: sent } = request;
    const large = sent instanceof Uint8Array && sent.length > PIECE_BYTES;
    const body = large
      ? Readable.from(
          splitBody(sent, () => timer.refresh()),
          { objectMode: false },
        )
      : sent;
    connections.dispatch(
      { ...request, body },
      {
        onRequestStart(started) {
          controller = started;
          // It was still waiting for its connection.
          if (broken) started.abort(broken);
        },
        onResponseStart(answering, status, found) {
          const isInterim = status < 200;
          if (isInterim) return;
          clearTimeout(timer);
          const headers = flattenHeaders(found);
          const source = {
            pause: () => answering.pause(),
            resume: () => answering.resume(),
            abort: () => answering.abort(new TickhaulError('reset', `${name}: not read to its end`)),
          };
          answer = new WatchedBody(source, {
            name,
            stallTimeoutMs,
            // Of HEAD it is what GET would have.
            announced: request.method === 'HEAD' ? undefined : parseByteCount(headers['content-length']),
          });
          resolve({ status, headers, body: answer });
        },
        onResponseData(_, chunk) {
          answer?.push(chunk);
        },
        onResponseEnd() {
          letGo();
          answer?.finish();
        },
        onResponseError: (_, error) => end(error),
      },
    );
  });
}

/** What is left of a body while it is taken. */
function* splitBody(bytes: Uint8Array, onTaken: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    onTaken();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

function flattenHeaders(headers: ResponseHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name in headers) flat[name] = String(headers[name]);
  return flat;
}

/** A header's count of bytes; undefined where it is absent or no plain count. */
export function parseByteCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
