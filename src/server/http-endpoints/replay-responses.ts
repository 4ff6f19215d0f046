import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { TickhaulError, usageError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import { toRunFailure } from '../../events/run-failure.js';
import type { LineSink, WrittenCounts } from '../../market/lines/line-buffer.js';
import { openFeed } from '../../raw-feeds/open-feed.js';
import { replayRaw } from '../../replay/replay-raw.js';
import { StallWatch, tooManyClients, withClientBuffers } from '../client-limits.js';
import { replayNormalized } from '../replay-normalized.js';
import { parseNormalizedOptions, parseOptionsParameter, parseRawOptions } from '../request-options.js';
import { abortResponse, type HttpCall, logBug, sendErrorResponse } from './http-call.js';

/** Error for raw messages with `--source datasets`. */
export const NO_RAW_MESSAGES = "day files do not contain the exchange's own messages; use --source feeds";

/** `GET /replay`: an exchange's own messages of a period (`docs/spec/local-server.md#get-replay`). */
export function handleReplay(call: HttpCall): Promise<void> {
  return sendLineResponse(call, async ({ output: body, written, signal }) => {
    const { options, run, pacer, warnOnce } = call.context;
    if (options.source === 'datasets') throw usageError(NO_RAW_MESSAGES);
    const { withDisconnects, ...request } = parseRawOptions(parseOptionsParameter(call.query), warnOnce);
    if (request.range.start === request.range.end) return;
    const responseRun = { ...run, signal };
    const output = pacer.pace(body);
    const feed = await openFeed(responseRun, request, options.records);
    await withClientBuffers(run.texts, 1, (buffers) =>
      replayRaw({
        run: { ...responseRun, ...buffers },
        feed,
        withDisconnects,
        output,
        written,
        onMinutes: () => {},
        signal,
      }),
    );
    await run.cache.trim();
  });
}

/** `GET /replay-normalized`: normalized messages of a period (`docs/spec/local-server.md#normalized-options`). */
export function handleReplayNormalized(call: HttpCall): Promise<void> {
  return sendLineResponse(call, (target) => {
    const options = parseNormalizedOptions(parseOptionsParameter(call.query), call.context.warnOnce);
    return replayNormalized(call.context, options, target);
  });
}

/** A response that consists of lines. */
interface LineResponse {
  readonly output: LineSink;
  /** Counts of what was written, updated by the writer. */
  readonly written: WrittenCounts;
  /** Aborted when the client disconnects, or the server ends. */
  readonly signal: AbortSignal;
}

/**
 * Responds with lines. A failure before the first line is an error response; a later failure cuts the
 * connection, so that the client does not mistake a part for the whole. A disconnected client stops the work.
 */
async function sendLineResponse(
  call: HttpCall,
  work: (target: LineResponse) => Promise<void>,
): Promise<void> {
  const { context, response } = call;
  const stop = new AbortController();
  response.once('close', () => stop.abort(new TickhaulError('reset', 'the client left')));
  if (!(await context.clients.tryAcquire()))
    return sendErrorResponse(call, tooManyClients(context.options.maxClients));
  const written = { messages: 0, bytes: 0 };
  const watch = new StallWatch();
  const body = openBody(call, stop.signal);
  let counted = 0;
  const output: LineSink = {
    async write(bytes) {
      watch.onWriteStart();
      await body.write(bytes);
      watch.onWriteEnd();
      const { metrics } = context;
      metrics.bytes += bytes.length;
      metrics.messages += written.messages - counted;
      counted = written.messages;
    },
  };
  context.metrics.openHttp++;
  try {
    const respond = async (): Promise<void> => {
      await work({ output, written, signal: stop.signal });
      context.metrics.messages += written.messages - counted;
      watch.onWriteStart();
      await body.end();
    };
    await context.openResponses.run(stop, respond, () => watch.isStalled);
  } catch (error) {
    if (response.destroyed) return;
    if (!response.headersSent) sendErrorResponse(call, error);
    else {
      logBug(context, error);
      context.options.log.warn(`${call.path}: cut off: ${toRunFailure(error).error.message}`);
      abortResponse(call);
    }
  } finally {
    context.metrics.openHttp--;
    context.clients.release();
  }
}

interface LineResponseBody extends LineSink {
  /** Resolves when all lines were passed to the system. */
  end(): Promise<void>;
}

function openBody({ context, request, response }: HttpCall, signal: AbortSignal): LineResponseBody {
  const isGzip = context.options.isCompressed && /\bgzip\b/i.test(request.headers['accept-encoding'] ?? '');
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
      return waitUnlessAborted(signal, (done) => {
        to.write(bytes, (error) => {
          // The response notices a disconnected client later than this write does.
          if (error) response.destroy();
          done(error);
        });
      });
    },
    end() {
      stream ??= begin();
      const to = stream;
      return waitUnlessAborted(signal, (done) => {
        response.once('finish', done);
        to.end();
      });
    },
  };
}

/** Flushes each write, since the next one may take long. */
function gzipInto(response: ServerResponse): Writable {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  gzip.pipe(response);
  return gzip;
}

/** Waits for a step of a connection, which never ends if the client has disconnected. */
async function waitUnlessAborted(
  signal: AbortSignal,
  step: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  signal.throwIfAborted();
  const stepped = new Promise<void>((resolve, reject) => {
    step((error) => (error ? reject(error) : resolve()));
  });
  await rejectOnAbort(stepped, signal);
}
