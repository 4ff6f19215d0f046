import { abortReason, TickhaulError } from '../../base/errors.js';
import type { LiveEvent } from '../../live/live-options.js';
import { streamLive } from '../../live/stream-live.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import { parseServerStreamOptions, type ServerStreamOptions } from '../request/server-stream-options.js';
import type { ServerContext } from '../server-context.js';
import { createFrameSink } from './frame-sink.js';
import { runSocketTask } from './run-socket-task.js';
import { CLOSE_CODE, type SocketClient } from './socket-client.js';

/** Bytes that may wait for a client: what happens on an exchange doesn't wait (replay facts, section 5). */
const MAX_WAITING_BYTES = 5 * 1024 * 1024;

/** `/ws-stream-normalized`: live normalized messages, one a frame (service interface, Local replay server). */
export function openStreamSocket(
  serving: ServerContext,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return runSocketTask(serving, '/ws-stream-normalized', client, async (stop) => {
    const options = parseServerStreamOptions(parseOptionsParameter(query), serving.warnOnce);
    if (options.length === 0) return client.close(CLOSE_CODE.finished, 'WS stream-normalized finished');
    const emit = (event: LiveEvent): void => {
      logEvent(serving, event);
      sendEvent(client, options, event);
      if (event.event !== 'behind') return;
      client.close(CLOSE_CODE.policy, 'Too much backpressure');
      stop.abort(new TickhaulError('reset', 'the client is too slow'));
    };
    const { feeds, records } = serving.options;
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
    await serving.answers.runEndless(stop, () => streamLive(live));
    // Nothing else ends it without an error.
    throw abortReason(stop.signal);
  });
}

function logEvent({ options: { log }, warnOnce }: ServerContext, event: LiveEvent): void {
  if (event.event === 'warning') warnOnce(event.message);
  else if (event.event === 'behind')
    log.debug?.(`/ws-stream-normalized: ${event.exchange}: too slow a client`);
  else log.debug?.(`/ws-stream-normalized: ${event.error.message}; again in ${Math.round(event.waitMs)}ms`);
}

/** An `error` message, as the vendor's server has it, to a client that asked for such. */
function sendEvent(client: SocketClient, options: readonly ServerStreamOptions[], event: LiveEvent): void {
  if (event.event !== 'disconnect') return;
  const { exchange, error, failures } = event;
  if (!options.some((option) => option.exchange === exchange && option.withErrorMessages)) return;
  const message = {
    type: 'error',
    exchange,
    localTimestamp: new Date(),
    details: error.message,
    // This one counts, however well the connection was.
    subSequentErrorsCount: Math.max(1, failures),
  };
  client.send(JSON.stringify(message));
}
