import { abortReason } from '../base/errors.js';
import { aborted, onAbort, wait } from '../base/wait.js';
import type { FeedOpener } from '../dialects/live/open-feeds.js';
import type { Filter } from '../service/feed-filter.js';
import type { Client } from '../service/http/client.js';
import { holdConnection } from './connection.js';
import { fetchSupplements } from './supplements.js';

export interface SessionInput {
  readonly exchange: string;
  readonly filters: readonly Filter[];
  readonly open: FeedOpener;
  readonly client: Client;
  readonly timeoutIntervalMs: number;
  readonly handshakeMs: number;
  /** Milliseconds from the first message to the first request of HTTP. */
  readonly settleMs: number;
  /** Takes each message, of whatever connection or request. What it throws ends the session. */
  readonly onMessage: (message: unknown) => void;
  /** As `holdConnection` tells it. */
  readonly onComplaint: (says: string) => void;
  readonly signal: AbortSignal;
}

/**
 * All connections that an exchange needs, with its requests of HTTP. Where one ends, all do: their messages are
 * normalized together, and books can't go on that missed some. Never resolves.
 * @throws why it ended, as `holdConnection` and `fetchSupplements` do; the signal's reason when aborted.
 */
export async function holdSession(input: SessionInput): Promise<never> {
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
    await Promise.race([hasBegun, aborted(over.signal)]);
    await wait(settleMs, over.signal);
    await fetchSupplements({ ...input, signal: over.signal });
  };
  const feeds = open();
  if (feeds.length === 0) begin();
  const parts = feeds.map((feed) =>
    holdConnection({ ...input, exchange, feed, onMessage: ofConnection, signal: over.signal }),
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
