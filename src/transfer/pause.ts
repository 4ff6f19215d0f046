import { wait } from '../base/wait.js';

/** The pause of a whole run: one answer that concerns every file holds all of them. */
export interface Pause {
  /** Nobody passes before `ms` from now are over. Tells whether this made the pause longer. */
  hold(ms: number): boolean;
  /** Resolves at once, or when the pause is over. */
  passed(signal: AbortSignal): Promise<void>;
}

export function createPause(now = (): number => performance.now()): Pause {
  let until = 0;
  return {
    hold(ms) {
      const end = now() + ms;
      if (end <= until) return false;
      until = end;
      return true;
    },
    async passed(signal) {
      for (let left = until - now(); left > 0; left = until - now()) await wait(left, signal);
    },
  };
}
