import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import type { Pause } from '../http/pause.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { fetchKeyCoverage, type KeyCoverage } from '../service/key-coverage.js';
import type { SliceWorkContext } from './run-slice.js';
import type { SliceJob } from './slice-job.js';

/** Resources that the slices of one worker share, each created on first use. */
export class SliceResources {
  readonly #client: ServiceClient;
  readonly #pause: Pause;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #transfers = new Map<string, TransferLimits>();
  #keyCoverage: Promise<KeyCoverage> | undefined;

  constructor(
    client: ServiceClient,
    { pause, stopStarting }: Pick<SliceWorkContext, 'pause' | 'stopStarting'>,
    warn: (message: string) => void,
  ) {
    this.#client = client;
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
}
