import type { EventSink } from '../../run/events.js';
import type { Client } from '../../service/http/client.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import type { Pause } from '../../transfer/pause.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { Conversions } from '../conversion/conversions.js';
import type { Memory } from '../memory.js';
import type { Recording } from '../recording.js';

/** What the transfers of one run share. */
export interface TransferContext {
  readonly client: Client;
  readonly destination: Destination;
  /** What is recorded already. */
  readonly manifest: Pick<Manifest, 'get'>;
  readonly recording: Recording;
  /** Makes part names private to this run, when another run works in the same folder. */
  readonly partSuffix: string | undefined;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly memory: Memory;
  /** Undefined where nothing is to be converted. */
  readonly conversions: Conversions | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
