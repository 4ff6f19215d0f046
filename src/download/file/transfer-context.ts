import type { EventSink } from '../../run/run-events.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import type { Pause } from '../../transfer/pause.js';
import type { RateLimit } from '../../transfer/rate-limit.js';
import type { Conversions } from '../conversion/conversions.js';
import type { MemoryBudget } from '../memory-budget.js';
import type { RecordWriter } from '../record-writer.js';

/** Shared by the transfers of one run. */
export interface TransferContext {
  readonly client: ServiceClient;
  readonly destination: Destination;
  /** Existing records. */
  readonly manifest: Pick<Manifest, 'get'>;
  readonly recording: RecordWriter;
  /** Makes the names of part files unique to this run if another run works in the same folder. */
  readonly partSuffix: string | undefined;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly memory: MemoryBudget;
  /** Undefined if nothing is converted. */
  readonly conversions: Conversions | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
