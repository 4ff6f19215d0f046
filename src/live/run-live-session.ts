import { abortReason } from '../base/errors.js';
import { onAbort, wait, waitForAbort } from '../base/wait.js';
import type { FeedOpener } from '../dialects/live/plan-live-feeds.js';
import type { FeedFilter } from '../service/feed-filter.js';
import { fetchSupplements } from './fetch-supplements.js';
import { type ConnectionInput, runConnection } from './run-connection.js';

/** `onMessage` receives each message of any connection or request. An error that it throws ends the session. */
export interface LiveSessionInput extends Omit<ConnectionInput, 'feed'> {
  readonly filters: readonly FeedFilter[];
  readonly open: FeedOpener;
  /** Delay in milliseconds between the first message and the first HTTP request. */
  readonly supplementDelayMs: number;
}

/**
 * Runs all connections of an exchange and its HTTP requests. If one of them ends, the session ends: their
 * messages are normalized together, and a book with missing messages is useless. Never resolves.
 * @throws the reason of the end, as `runConnection` and `fetchSupplements`; the signal's reason after an
 * abort.
 */
export async function runLiveSession(input: LiveSessionInput): Promise<never> {
  const { exchange, open, onMessage, supplementDelayMs, signal } = input;
  if (signal.aborted) throw abortReason(signal);
  const ended = new AbortController();
  const removeListener = onAbort(signal, () => ended.abort(abortReason(signal)));
  let onFirstMessage = (): void => {};
  const firstMessage = new Promise<void>((resolve) => {
    onFirstMessage = resolve;
  });
  const onConnectionMessage = (message: unknown): void => {
    onFirstMessage();
    onMessage(message);
  };
  const fetching = async (): Promise<void> => {
    await Promise.race([firstMessage, waitForAbort(ended.signal)]);
    await wait(supplementDelayMs, ended.signal);
    await fetchSupplements({ ...input, signal: ended.signal });
  };
  const feeds = open();
  if (feeds.length === 0) onFirstMessage();
  const connections = feeds.map((feed) =>
    runConnection({ ...input, exchange, feed, onMessage: onConnectionMessage, signal: ended.signal }),
  );
  const all = [...connections, fetching()];
  try {
    return await new Promise<never>((_, reject) => {
      for (const part of all) part.catch(reject);
    });
  } finally {
    ended.abort();
    removeListener();
    await Promise.allSettled(all);
  }
}
