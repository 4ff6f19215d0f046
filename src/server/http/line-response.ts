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

/** Where the lines of an answer go. */
export interface LineResponse {
  readonly output: LineSink;
  /** What was written so far; counted up by who writes. */
  readonly written: WrittenCounts;
  /** Aborted when the client left, or the server ends. */
  readonly signal: AbortSignal;
}

/**
 * Answers with lines. A failure before the first line is an error response; a later failure cuts the
 * connection, so that no client takes half for whole. A client that leaves stops the work.
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
  /** Resolves when all of it is on its way to the client. */
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
          // The response hears of a client that left later than this write does.
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

/** Each write is flushed, as the next may take long to come. */
function gzipInto(response: ServerResponse): Writable {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  gzip.pipe(response);
  return gzip;
}

/** Waits for what a connection does; one that is gone never tells. */
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
