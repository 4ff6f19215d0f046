import { abortReason, TickhaulError } from '../../base/errors.js';
import { streamLive } from '../../live/stream.js';
import type { LiveEvent } from '../../live/types.js';
import { readOptionsText } from '../request/options-text.js';
import { readStreamOptions, type StreamOptions } from '../request/stream-options.js';
import type { Serving } from '../serving.js';
import { answerSocket } from './answer-socket.js';
import { CLOSE, type SocketClient } from './client.js';
import { framed } from './framed.js';

/** Bytes that may wait for a client: what happens on an exchange doesn't wait (replay facts, section 5). */
const MOST_WAITING = 5 * 1024 * 1024;

/** `/ws-stream-normalized`: live normalized messages, one a frame (service interface, Local replay server). */
export function openStreamSocket(
  serving: Serving,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return answerSocket(serving, '/ws-stream-normalized', client, async (stop) => {
    const options = readStreamOptions(readOptionsText(query), serving.warnOnce);
    if (options.length === 0) return client.close(CLOSE.finished, 'WS stream-normalized finished');
    const tell = (event: LiveEvent): void => {
      tellLog(serving, event);
      tellClient(client, options, event);
      if (event.event !== 'behind') return;
      client.close(CLOSE.policy, 'Too much backpressure');
      stop.abort(new TickhaulError('reset', 'the client is too slow'));
    };
    const { feeds, records } = serving.options;
    const live = {
      options,
      client: feeds.client,
      cache: records,
      output: framed(client),
      mostWaiting: MOST_WAITING,
      written: { messages: 0, bytes: 0 },
      tell,
      signal: stop.signal,
    };
    await serving.answers.runEndless(stop, () => streamLive(live));
    // Nothing else ends it without an error.
    throw abortReason(stop.signal);
  });
}

function tellLog({ options: { log }, warnOnce }: Serving, event: LiveEvent): void {
  if (event.event === 'warning') warnOnce(event.message);
  else if (event.event === 'behind')
    log.debug?.(`/ws-stream-normalized: ${event.exchange}: too slow a client`);
  else log.debug?.(`/ws-stream-normalized: ${event.error.message}; again in ${Math.round(event.waitMs)}ms`);
}

/** An `error` message, as the vendor's server has it, to a client that asked for such. */
function tellClient(client: SocketClient, options: readonly StreamOptions[], event: LiveEvent): void {
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
