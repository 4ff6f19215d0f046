import type { MinuteRange } from '../dataset/minute.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { TextRoom } from './read/text-room.js';
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
  /** For text of slices that are read next. */
  readonly texts: TextRoom;
  /** Bytes of each buffer that the messages of a replay pass through. */
  readonly bufferBytes: number;
  /** Bytes of one write of messages; undefined for what is usual. */
  readonly writeBytes: number | undefined;
  /** Only what is on disk: nothing is asked for. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
}
