/** Milliseconds over which a rate is taken. */
const WINDOW_MS = 10_000;
const SAMPLE_MS = 250;

/** Bytes a second of late. */
export interface TransferRate {
  add(bytes: number): void;
  perSecond(): number;
}

/** @param now milliseconds of a clock that never goes back. */
export function createTransferRate(now: () => number): TransferRate {
  let bytes = 0;
  const samples: { at: number; bytes: number }[] = [{ at: now(), bytes: 0 }];
  const sample = (): void => {
    const at = now();
    const newest = samples.at(-1);
    if (newest !== undefined && at - newest.at < SAMPLE_MS) return;
    samples.push({ at, bytes });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift();
  };
  return {
    add(more) {
      bytes += more;
      sample();
    },
    perSecond() {
      sample();
      const oldest = samples[0] ?? { at: now(), bytes: 0 };
      const ms = now() - oldest.at;
      return ms > 0 ? ((bytes - oldest.bytes) * 1000) / ms : 0;
    },
  };
}
