import type { PinnedPlan } from '../download/lists/pinned-plan.js';
import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import type { Pause } from '../http/pause.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { fetchKeyCoverage, type KeyCoverage } from '../service/key-coverage.js';
import type { OpenDestination } from './folder-pool.js';
import type { SliceWorkContext } from './run-slice.js';
import { destinationKey, type SliceJob } from './slice-job.js';
import { readPin } from './stored-pins.js';

/** Pinned plans in memory. A record has several megabytes. */
const MAX_PINS = 4;
/** Resources that the slices of one worker share, each created on first use. */
export class SliceResources {
  readonly #client: ServiceClient;
  readonly #openDestination: OpenDestination;
  readonly #pause: Pause;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #pins = new Map<string, Promise<PinnedPlan>>();
  readonly #transfers = new Map<string, TransferLimits>();
  #keyCoverage: Promise<KeyCoverage> | undefined;

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
    this.#stopStarting = stopStarting;
  }

  /** Slices with the same limits share them. */
  getTransferLimits({ concurrency, maxRate }: SliceJob['options']): TransferLimits {
    const key = `${concurrency} ${maxRate}`;
    const cached = this.#transfers.get(key) ?? {
      ...createTransferLimits({ concurrency, maxRate }),
      pause: this.#pause,
    };
    this.#transfers.set(key, cached);
    return cached;
  }

  /** Requested once: a changed key requires a new worker. */
  getKeyCoverage(): Promise<KeyCoverage> {
    const cached = this.#keyCoverage ?? fetchKeyCoverage(this.#client, this.#stopStarting, this.#warn);
    this.#keyCoverage = cached;
    cached.catch(() => {
      this.#keyCoverage = undefined;
    });
    return cached;
  }

  /** @throws as `readPin`. */
  getPin(job: SliceJob): Promise<PinnedPlan> {
    const key = `${destinationKey(job)} ${job.pin}`;
    const cached = this.#pins.get(key) ?? this.#readPin(job);
    if (!this.#pins.has(key) && this.#pins.size >= MAX_PINS) this.#pins.clear();
    this.#pins.set(key, cached);
    cached.catch(() => this.#pins.delete(key));
    return cached;
  }

  async #readPin(job: SliceJob): Promise<PinnedPlan> {
    const destination = await this.#openDestination(job, this.#stopStarting);
    return readPin(destination, job.pin, this.#stopStarting).finally(() => destination.close());
  }
}
