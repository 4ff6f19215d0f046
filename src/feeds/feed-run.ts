import type { MinuteRange } from '../dataset/minute.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { FetchRun } from './request/fetch-run.js';
import type { SharedSlices } from './request/shared-slices.js';

/** What is asked of one exchange: its own messages of a period. */
export interface FeedRequest {
  readonly exchange: string;
  /** In any form; none for everything there is. */
  readonly filters: readonly FeedFilter[];
  readonly range: MinuteRange;
}

/** What all requests of a run share. */
export interface FeedRun extends FetchRun {
  /** What one of its replays asked for, for the others. */
  readonly shared: SharedSlices;
  /** Only what is on disk: nothing is asked for. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
}
