import type { PinnedPlan } from '../download/lists/pinned-plan.js';
import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { fetchKeyCoverage, type KeyCoverage } from '../service/key/key-coverage.js';
import type { Pause } from '../transfer/pause.js';
import type { OpenDestination } from './open-folders.js';
import type { SliceWorkContext } from './run-slice.js';
import { destinationKey, type SliceJob } from './slice-job.js';
import { readPin } from './stored-pins.js';

/** Pinned plans in memory: a record has megabytes. */
const MOST_PINS = 4;

/** What the slices of one worker have in common, each made when it is needed. */
export class SharedBySlices {
  readonly #client: ServiceClient;
  readonly #openDestination: OpenDestination;
  readonly #pause: Pause;
  readonly #warn: (message: string) => void;
  readonly #noMore: AbortSignal;
  readonly #pins = new Map<string, Promise<PinnedPlan>>();
  readonly #transfers = new Map<string, TransferLimits>();
  #keyReach: Promise<KeyCoverage> | undefined;

  constructor(
    client: ServiceClient,
    open: OpenDestination,
    { pause, stopStarting }: Pick<SliceWorkContext, 'pause' | 'stopStarting'>,
    warn: (message: string) => void,
  ) {
    this.#client = client;
    this.#openDestination = open;
    this.#pause = pause;
    this.#warn = warn;
    this.#noMore = stopStarting;
  }

  /** Slices with the same limits share them. */
  transfersOf({ concurrency, maxRate }: SliceJob['options']): TransferLimits {
    const key = `${concurrency} ${maxRate}`;
    const known = this.#transfers.get(key) ?? {
      ...createTransferLimits({ concurrency, maxRate }),
      pause: this.#pause,
    };
    this.#transfers.set(key, known);
    return known;
  }

  /** Asked for once: a key that changes is a new worker's. */
  reachOfKey(): Promise<KeyCoverage> {
    const known = this.#keyReach ?? fetchKeyCoverage(this.#client, this.#noMore, this.#warn);
    this.#keyReach = known;
    known.catch(() => {
      this.#keyReach = undefined;
    });
    return known;
  }

  /** @throws as `readPin`. */
  pinOf(job: SliceJob): Promise<PinnedPlan> {
    const key = `${destinationKey(job)} ${job.pin}`;
    const known = this.#pins.get(key) ?? this.#readPin(job);
    if (!this.#pins.has(key) && this.#pins.size >= MOST_PINS) this.#pins.clear();
    this.#pins.set(key, known);
    known.catch(() => this.#pins.delete(key));
    return known;
  }

  async #readPin(job: SliceJob): Promise<PinnedPlan> {
    const destination = await this.#openDestination(job, this.#noMore);
    return readPin(destination, job.pin, this.#noMore).finally(() => destination.close());
  }
}
