import { wait } from '../base/wait.js';

/** The pause of a whole run: one answer that concerns every file holds all of them. */
export interface Pause {
  /** Nobody passes before `ms` from now are over. Tells whether this made the pause longer. */
  extend(ms: number): boolean;
  /** Resolves at once, or when the pause is over. */
  waitUntilOver(signal: AbortSignal): Promise<void>;
}

export interface LocalPause extends Pause {
  /** Milliseconds until it is over; less than none where it is. */
  remainingMs(): number;
}

export function createPause(now = (): number => performance.now()): LocalPause {
  let until = 0;
  const leftMs = (): number => until - now();
  return {
    remainingMs: leftMs,
    extend(ms) {
      const end = now() + ms;
      if (end <= until) return false;
      until = end;
      return true;
    },
    async waitUntilOver(signal) {
      for (let left = leftMs(); left > 0; left = leftMs()) await wait(left, signal);
    },
  };
}
