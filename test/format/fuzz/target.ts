import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';

/** Code that is compared with a reference on random input. */
export interface FuzzTarget {
  readonly name: string;
  /**
   * One attempt, drawn from `random` only. Throws if a result differs from the reference.
   * @param keep called with the input before it is used, so that a failing input can be saved.
   */
  round(random: Random, keep: (input: Uint8Array) => void): void | Promise<void>;
}
