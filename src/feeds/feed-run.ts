import type { MinuteRange } from '../dataset/minute.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { TextBudget } from './read/text-budget.js';
import type { FetchRun } from './request/fetch-run.js';
import type { SharedSlices } from './request/shared-slices.js';

/** A selection of one exchange's own messages in a period. */
export interface FeedRequest {
  readonly exchange: string;
  /** In any form; an empty list selects everything. */
  readonly filters: readonly FeedFilter[];
  readonly range: MinuteRange;
}

/** State shared by all requests of a run. */
export interface FeedRun extends FetchRun {
  /** Slices that replays of the run have requested, for reuse by the others. */
  readonly shared: SharedSlices;
  /** Memory for the text of slices, shared by all replays. */
  readonly texts: TextBudget;
  /** Maximum number of slices that a replay decompresses ahead of the one it reads. */
  readonly maxOpenAhead: number;
  /** Size of each buffer for the messages of a replay, in bytes. */
  readonly bufferBytes: number;
  /** Size of one write of messages, in bytes; undefined for the default. */
  readonly writeBytes: number | undefined;
  /** Read only slices on disk, without requests. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
}
