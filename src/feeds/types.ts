import type { EventSink } from '../run/events.js';
import type { Filter } from '../service/feed-filter.js';
import type { Client } from '../service/http/client.js';
import type { Concurrency } from '../transfer/concurrency.js';
import type { TryLimits } from '../transfer/next-try.js';
import type { Pause } from '../transfer/pause.js';
import type { RateLimit } from '../transfer/rate.js';
import type { SliceCache } from './cache/slice-cache.js';
import type { MinuteRange } from './minutes.js';
import type { Allowance } from './request/allowance.js';

/** What is asked of one exchange: its own messages of a period. */
export interface FeedRequest {
  readonly exchange: string;
  /** In any form; none for everything there is. */
  readonly filters: readonly Filter[];
  readonly range: MinuteRange;
}

/** What all requests of a run share. */
export interface FeedRun extends TryLimits {
  readonly client: Client;
  readonly cache: SliceCache;
  /** Only what is on disk: nothing is asked for. */
  readonly offline: boolean;
  readonly concurrency: Concurrency;
  readonly pause: Pause;
  readonly allowance: Allowance;
  readonly rate: RateLimit;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
