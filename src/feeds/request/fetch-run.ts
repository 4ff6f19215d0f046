import type { TurnTaking } from '../../base/turns.js';
import type { EventSink } from '../../run/events.js';
import type { Client } from '../../service/http/client.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import type { TryLimits } from '../../transfer/next-try.js';
import type { Pause } from '../../transfer/pause.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { SliceCache } from '../cache/slice-cache.js';
import type { Allowance } from './allowance.js';

/** What all requests for slices share. */
export interface FetchRun extends TryLimits {
  readonly client: Client;
  readonly cache: SliceCache;
  readonly concurrency: Concurrency;
  readonly pause: Pause;
  readonly allowance: Allowance;
  readonly rate: RateLimit;
  /** Where other processes may fetch the same slice: those of one name follow each other. */
  readonly turns?: TurnTaking | undefined;
  readonly emit: EventSink;
}
