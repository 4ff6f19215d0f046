import { wait } from '../base/wait.js';

/** A pause of a whole run, after a response that affects all of its files. */
export interface Pause {
  /** Extends the pause to end no earlier than `ms` from now. @returns whether it is longer now. */
  extend(ms: number): boolean;
  /** Resolves when the pause is over, or at once if there is none. */
  waitUntilOver(signal: AbortSignal): Promise<void>;
}

export interface LocalPause extends Pause {
  /** Milliseconds until the end of the pause; negative or 0 if it is over. */
  remainingMs(): number;
}

export function createPause(now = (): number => performance.now()): LocalPause {
  let endMs = 0;
  const remainingMs = (): number => endMs - now();
  return {
    remainingMs,
    extend(ms) {
      const newEndMs = now() + ms;
      if (newEndMs <= endMs) return false;
      endMs = newEndMs;
      return true;
    },
    async waitUntilOver(signal) {
      for (let left = remainingMs(); left > 0; left = remainingMs()) await wait(left, signal);
    },
  };
}
