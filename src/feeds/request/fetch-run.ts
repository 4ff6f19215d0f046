import type { KeyedMutex } from '../../base/semaphore.js';
import type { EventSink } from '../../run/run-events.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { ByteRateLimit } from '../../transfer/byte-rate-limit.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import type { Pause } from '../../transfer/pause.js';
import type { RetryLimits } from '../../transfer/retry-policy.js';
import type { SliceCache } from '../cache/slice-cache.js';
import type { RequestQuota } from './request-quota.js';

/** State shared by all requests for slices. */
export interface FetchRun extends RetryLimits {
  readonly client: ServiceClient;
  readonly cache: SliceCache;
  readonly concurrency: Concurrency;
  readonly pause: Pause;
  readonly quota: RequestQuota;
  readonly rate: ByteRateLimit;
  /** Serializes requests for the same slice across processes; undefined for a single process. */
  readonly fetchMutex?: KeyedMutex | undefined;
  readonly emit: EventSink;
}
