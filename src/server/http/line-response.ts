import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { LineSink, WrittenCounts } from '../../market/lines/line-sink.js';
import { toRunFailure } from '../../run/run-failure.js';
import { tooManyClients } from '../client-limit.js';
import { StallWatch } from '../stall-watch.js';
import { abortResponse, type HttpCall, logBug, sendErrorResponse } from './http-call.js';

/** Output of a response with lines. */
export interface LineResponse {
  readonly output: LineSink;
  /** Counters that the writer increments. */
  readonly written: WrittenCounts;
  /** Aborted if the client disconnects or the server shuts down. */
  readonly signal: AbortSignal;
}

/**
 * Responds with lines. A failure before the first line is an error response. A later failure breaks the connection, so
 * that the client does not mistake the response for complete. A disconnected client stops the work.
 */
export async function sendLineResponse(
  call: HttpCall,
  work: (target: LineResponse) => Promise<void>,
): Promise<void> {
  const { serving, response } = call;
  const stop = new AbortController();
  response.once('close', () => stop.abort(new TickhaulError('reset', 'the client left')));
  if (!(await serving.clients.enter()))
    return sendErrorResponse(call, tooManyClients(serving.options.maxClients));
  const written = { messages: 0, bytes: 0 };
  const watch = new StallWatch();
  const body = openBody(call, stop.signal);
  let counted = 0;
  const output: LineSink = {
    async write(bytes) {
      watch.begin();
      await body.write(bytes);
      watch.end();
      const { metrics } = serving;
      metrics.bytes += bytes.length;
      metrics.messages += written.messages - counted;
      counted = written.messages;
    },
  };
  serving.metrics.openHttp++;
  try {
    const answering = async (): Promise<void> => {
      await work({ output, written, signal: stop.signal });
      serving.metrics.messages += written.messages - counted;
      watch.begin();
      await body.end();
    };
    await serving.answers.run(stop, answering, () => watch.isStalled);
  } catch (error) {
    if (response.destroyed) return;
    if (!response.headersSent) sendErrorResponse(call, error);
    else {
      logBug(serving, error);
      serving.options.log.warn(`${call.path}: cut off: ${toRunFailure(error).error.message}`);
      abortResponse(call);
    }
  } finally {
    serving.metrics.openHttp--;
    serving.clients.leave();
  }
}

interface LineResponseBody extends LineSink {
  /** Resolves when the whole body has been passed to the system. */
  end(): Promise<void>;
}

function openBody({ serving, request, response }: HttpCall, signal: AbortSignal): LineResponseBody {
  const isGzip = serving.options.isCompressed && /\bgzip\b/i.test(request.headers['accept-encoding'] ?? '');
  let stream: Writable | undefined;
  const begin = (): Writable => {
    response.writeHead(200, {
      'content-type': 'application/x-json-stream',
      ...(isGzip && { 'content-encoding': 'gzip', vary: 'accept-encoding' }),
    });
    return isGzip ? gzipInto(response) : response;
  };
  return {
    write(bytes) {
      stream ??= begin();
      const to = stream;
      return waitUnlessGone(signal, (done) => {
        to.write(bytes, (error) => {
          // The response emits the disconnection later.
          if (error) response.destroy();
          done(error);
        });
      });
    },
    end() {
      stream ??= begin();
      const to = stream;
      return waitUnlessGone(signal, (done) => {
        response.once('finish', done);
        to.end();
      });
    },
  };
}

/** Flushes each write, since the next one may be far off. */
function gzipInto(response: ServerResponse): Writable {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  gzip.pipe(response);
  return gzip;
}

/** Waits for an operation of a connection; it never completes after a disconnection. */
async function waitUnlessGone(
  signal: AbortSignal,
  step: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  signal.throwIfAborted();
  const stepped = new Promise<void>((resolve, reject) => {
    step((error) => (error ? reject(error) : resolve()));
  });
  await rejectOnAbort(stepped, signal);
}
