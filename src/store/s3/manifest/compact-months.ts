import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../../base/errors.js';
import { tryAcquireLease } from '../lease.js';
import { compactMonth } from './compact-month.js';
import type { ManifestLocation } from './manifest-keys.js';

/**
 * Compacts some months, unless another run is at it, which their lease tells. The lease saves work and guards nothing:
 * whatever two compactions do side by side is right. So downloads go on, and none of them is kept out for it.
 * What fails is left: the manifest serves as well as it did, and what is wrong with the store is told elsewhere.
 */
export async function compactMonths(
  place: ManifestLocation,
  prefix: string,
  run: string,
  months: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = Date.now();
  try {
    const owner = { pid: 0, host: run, now, command: 'compaction', isAlive: () => true };
    const lease = await tryAcquireLease(place.store, prefix, owner, {
      folder: 'compactions',
      exclusive: true,
      signal,
    });
    if (!lease) return;
    try {
      const either = signal ? AbortSignal.any([signal, lease.lost]) : lease.lost;
      setMaxListeners(0, either);
      for (const month of months)
        await compactMonth(place, month, { run, now, storeNow: lease.acquiredMs, signal: either });
    } finally {
      await lease.release();
    }
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
  }
}
