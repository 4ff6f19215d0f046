/** Milliseconds over which the rate is averaged. */
const WINDOW_MS = 10_000;
const SAMPLE_INTERVAL_MS = 250;

/** Recent transfer rate in bytes per second. */
export interface TransferRate {
  add(bytes: number): void;
  perSecond(): number;
}

/** @param now monotonic clock in milliseconds. */
export function createTransferRate(now: () => number): TransferRate {
  let bytes = 0;
  const samples: { at: number; bytes: number }[] = [{ at: now(), bytes: 0 }];
  const addSample = (): void => {
    const at = now();
    const newest = samples.at(-1);
    if (newest !== undefined && at - newest.at < SAMPLE_INTERVAL_MS) return;
    samples.push({ at, bytes });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift();
  };
  return {
    add(count) {
      bytes += count;
      addSample();
    },
    perSecond() {
      addSample();
      const oldest = samples[0] ?? { at: now(), bytes: 0 };
      const ms = now() - oldest.at;
      return ms > 0 ? ((bytes - oldest.bytes) * 1000) / ms : 0;
    },
  };
}
