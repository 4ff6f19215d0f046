import { setMaxListeners } from 'node:events';
import type { FeedRun } from '../../feeds/feed-run.js';
import { type MergeOptions, mergeLines } from '../replay-series.js';
import { createFeedThreads, type FeedThreads, openFeedInputs } from './feed-inputs.js';
import type { OpenSource } from './feed-source.js';

export interface FeedReplayInput extends MergeOptions {
  readonly run: FeedRun;
  /** Shared with other replays of this process; if undefined, this replay creates its own threads. */
  readonly threads?: FeedThreads | undefined;
  /** Result of `openFeedSources`, in the order that breaks ties. */
  readonly sources: readonly OpenSource[];
  /** Called with the number of minutes read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  /** Maximum number of own threads; defaults to the number of processors. */
  readonly processors?: number | undefined;
}

/**
 * Writes the normalized messages of exchanges' feeds, merged by local timestamp.
 * @throws TickhaulError after all earlier lines are written: `corrupt`, or the reason why a slice is
 * unavailable; the signal's reason after an abort; what the output throws.
 */
export async function replayFeeds(input: FeedReplayInput): Promise<void> {
  setMaxListeners(0, input.signal);
  const threads = input.threads ?? createFeedThreads(input.processors);
  try {
    const { writeBytes } = input.run;
    await mergeLines(openFeedInputs({ ...input, threads }), { ...input, writeBytes });
  } finally {
    if (!input.threads) await threads.close();
  }
}
