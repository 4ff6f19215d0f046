import { abortReason } from '../base/errors.js';
import { onAbort, wait, waitForAbort } from '../base/wait.js';
import type { FeedOpener } from '../dialects/live/plan-live-feeds.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { fetchSupplements } from './fetch-supplements.js';
import { runConnection } from './run-connection.js';

export interface LiveSessionInput {
  readonly exchange: string;
  readonly filters: readonly FeedFilter[];
  readonly open: FeedOpener;
  readonly client: ServiceClient;
  readonly timeoutIntervalMs: number;
  readonly handshakeMs: number;
  /** Milliseconds from the first message to the first request of HTTP. */
  readonly settleMs: number;
  /** Takes each message, of whatever connection or request. What it throws ends the session. */
  readonly onMessage: (message: unknown) => void;
  /** As `runConnection` tells it. */
  readonly onExchangeError: (says: string) => void;
  readonly signal: AbortSignal;
}

/**
 * All connections that an exchange needs, with its requests of HTTP. Where one ends, all do: their messages are
 * normalized together, and books can't go on that missed some. Never resolves.
 * @throws why it ended, as `runConnection` and `fetchSupplements` do; the signal's reason when aborted.
 */
export async function runLiveSession(input: LiveSessionInput): Promise<never> {
  const { exchange, open, onMessage, settleMs, signal } = input;
  if (signal.aborted) throw abortReason(signal);
  const over = new AbortController();
  const leave = onAbort(signal, () => over.abort(abortReason(signal)));
  let begin = (): void => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ofConnection = (message: unknown): void => {
    begin();
    onMessage(message);
  };
  const fetching = async (): Promise<void> => {
    await Promise.race([hasBegun, waitForAbort(over.signal)]);
    await wait(settleMs, over.signal);
    await fetchSupplements({ ...input, signal: over.signal });
  };
  const feeds = open();
  if (feeds.length === 0) begin();
  const parts = feeds.map((feed) =>
    runConnection({ ...input, exchange, feed, onMessage: ofConnection, signal: over.signal }),
  );
  const all = [...parts, fetching()];
  try {
    return await new Promise<never>((_, reject) => {
      for (const part of all) part.catch(reject);
    });
  } finally {
    over.abort();
    leave();
    await Promise.allSettled(all);
  }
}
