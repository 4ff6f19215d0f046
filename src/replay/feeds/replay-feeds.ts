import { setMaxListeners } from 'node:events';
import type { FeedRun } from '../../feeds/feed-run.js';
import { type MergeOptions, mergeLines } from '../replay-series.js';
import { createFeedThreads, type FeedThreads, openFeedInputs } from './feed-inputs.js';
import type { OpenSource } from './feed-source.js';

export interface FeedReplayInput extends MergeOptions {
  readonly run: FeedRun;
  /** Shared with other replays of this process; undefined where there are none. */
  readonly threads?: FeedThreads | undefined;
  /** As `openFeedSources` gave them, in the order that breaks ties. */
  readonly sources: readonly OpenSource[];
  /** Told how many minutes were read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  /** Threads at once, where they aren't shared; left out, as many as there are processors. */
  readonly processors?: number | undefined;
}

/**
 * Writes the normalized messages of exchanges' feeds, merged by local timestamp.
 * @throws TickhaulError once all lines before are written: what a slice can't be had for, `createCorruptError`; the reason of an
 * abort; what the output throws.
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
