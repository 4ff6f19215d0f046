import type { Random } from '../../../src/sandbox/market/seeded-random.js';

/** Something that is tried on random input over and over, beside a plain reference. */
export interface FuzzTarget {
  readonly name: string;
  /**
   * One try, drawn from `random` alone. Throws where something isn't as the reference has it.
   * @param keep to be told of the input before it is used, so that a failing one can be looked at.
   */
  round(random: Random, keep: (input: Uint8Array) => void): void | Promise<void>;
}
