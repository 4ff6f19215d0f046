import { setMaxListeners } from 'node:events';
import type { FeedRun } from '../../feeds/types.js';
import { type MergeOptions, mergeLines } from '../replay.js';
import { openFeedInputs } from './feed-inputs.js';
import type { OpenSource } from './types.js';

export interface FeedReplayInput extends MergeOptions {
  readonly run: FeedRun;
  /** As `openFeedSources` gave them, in the order that breaks ties. */
  readonly sources: readonly OpenSource[];
  /** Told how many minutes were read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  /** Threads at once; left out, as many as there are processors. */
  readonly processors?: number | undefined;
}

/**
 * Writes the normalized messages of exchanges' feeds, merged by local timestamp.
 * @throws TickhaulError once all lines before are written: what a slice can't be had for, `corrupt`; the reason of an
 * abort; what the output throws.
 */
export function replayFeeds(input: FeedReplayInput): Promise<void> {
  setMaxListeners(0, input.signal);
  return mergeLines(openFeedInputs(input), input);
}
