import type { Period } from '../../market/trade-bars.js';
import type { TimeStretch } from '../../run/audited-day.js';

export interface StretchSums {
  readonly seconds: number;
  readonly longest: TimeStretch | null;
}

/** Sums the lengths of periods; of equally long ones, the earliest is the longest. */
export class StretchTally {
  #microseconds = 0;
  #longest: Period | undefined;

  add(period: Period): void {
    const { start, end } = period;
    this.#microseconds += end - start;
    const longest = this.#longest;
    const difference = longest ? end - start - (longest.end - longest.start) : 1;
    if (difference > 0 || (difference === 0 && start < (longest?.start ?? start))) this.#longest = period;
  }

  sums(): StretchSums {
    const longest = this.#longest;
    return {
      seconds: this.#microseconds / 1e6,
      longest: longest ? { start: longest.start, seconds: (longest.end - longest.start) / 1e6 } : null,
    };
  }
}

export function sumStretches(periods: readonly Period[]): StretchSums {
  const tally = new StretchTally();
  for (const period of periods) tally.add(period);
  return tally.sums();
}
