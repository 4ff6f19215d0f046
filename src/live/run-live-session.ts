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
  /** Delay in milliseconds between the first message and the first HTTP request. */
  readonly settleMs: number;
  /** Receives each message of any connection or request. An error that it throws ends the session. */
  readonly onMessage: (message: unknown) => void;
  /** As in `ConnectionInput`. */
  readonly onExchangeError: (says: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs all connections of an exchange and its HTTP requests. If one of them ends, the session ends: their
 * messages are normalized together, and a book with missing messages is useless. Never resolves.
 * @throws the reason of the end, as `runConnection` and `fetchSupplements`; the signal's reason after an
 * abort.
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
