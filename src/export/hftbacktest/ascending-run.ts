import type { EventRun } from './event-run.js';

export type Clock = 'exch' | 'local';

/** A run whose events ascend on a clock, but for those with the bit `skip`, which other runs have. */
export interface AscendingRun {
  readonly run: EventRun;
  readonly skip: number;
  /** Resolves when a chunk may be read, or when there is none; those before it are not read any more. @throws ReadAgain. */
  readonly enter?: ((chunk: number) => Promise<void>) | undefined;
}
