import { abortReason, TickhaulError } from '../../base/errors.js';
import type { LiveEvent } from '../../live/live-options.js';
import { streamLive } from '../../live/stream-live.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import { parseServerStreamOptions, type ServerStreamOptions } from '../request/server-stream-options.js';
import type { ServerContext } from '../server-context.js';
import { createFrameSink } from './frame-sink.js';
import { runSocketTask } from './run-socket-task.js';
import { CLOSE_CODE, type SocketClient } from './socket-client.js';

/** A live stream closes a client with more unsent bytes (`docs/spec/local-server.md#websocket-frames`). */
const MAX_WAITING_BYTES = 5 * 1024 * 1024;

/** `/ws-stream-normalized`: live normalized messages, one per frame (`docs/spec/local-server.md#stream-options`). */
export function openStreamSocket(
  context: ServerContext,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return runSocketTask(context, '/ws-stream-normalized', client, async (stop) => {
    const options = parseServerStreamOptions(parseOptionsParameter(query), context.warnOnce);
    if (options.length === 0) return client.close(CLOSE_CODE.finished, 'WS stream-normalized finished');
    const emit = (event: LiveEvent): void => {
      logEvent(context, event);
      sendEvent(client, options, event);
      if (event.event !== 'behind') return;
      client.close(CLOSE_CODE.policy, 'Too much backpressure');
      stop.abort(new TickhaulError('reset', 'the client is too slow'));
    };
    const { feeds, records } = context.options;
    const live = {
      options,
      client: feeds.client,
      cache: records,
      output: createFrameSink(client),
      maxWaitingBytes: MAX_WAITING_BYTES,
      written: { messages: 0, bytes: 0 },
      emit,
      signal: stop.signal,
    };
    await context.answers.runEndless(stop, () => streamLive(live));
    // A stream ends without an error only if it was aborted.
    throw abortReason(stop.signal);
  });
}

function logEvent({ options: { log }, warnOnce }: ServerContext, event: LiveEvent): void {
  if (event.event === 'warning') warnOnce(event.message);
  else if (event.event === 'behind')
    log.debug?.(`/ws-stream-normalized: ${event.exchange}: the client is too slow`);
  else
    log.debug?.(
      `/ws-stream-normalized: ${event.error.message}; reconnecting in ${Math.round(event.waitMs)}ms`,
    );
}

/** Sends an `error` message in the form of the vendor's server, if the client has requested these messages. */
function sendEvent(client: SocketClient, options: readonly ServerStreamOptions[], event: LiveEvent): void {
  if (event.event !== 'disconnect') return;
  const { exchange, error, failures } = event;
  if (!options.some((option) => option.exchange === exchange && option.withErrorMessages)) return;
  const message = {
    type: 'error',
    exchange,
    localTimestamp: new Date(),
    details: error.message,
    // Count this failure, too, even if the connection had lasted long.
    subSequentErrorsCount: Math.max(1, failures),
  };
  client.send(JSON.stringify(message));
}
