import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../../base/errors.js';
import { tryAcquireLease } from '../lease.js';
import { compactMonth } from './compact-month.js';
import type { ManifestLocation } from './manifest-keys.js';

/**
 * Compacts some months, unless another run holds the lease for compactions. The lease only saves work:
 * concurrent compactions are correct, and downloads continue meanwhile. Failures are ignored, since an
 * uncompacted manifest works as well, and errors of the store are reported elsewhere.
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
      const eitherSignal = signal ? AbortSignal.any([signal, lease.lost]) : lease.lost;
      setMaxListeners(0, eitherSignal);
      for (const month of months)
        await compactMonth(place, month, { run, now, storeNow: lease.acquiredMs, signal: eitherSignal });
    } finally {
      await lease.release();
    }
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
  }
}
