import { createDeferred } from '../base/wait.js';
import { GROUPED_SYMBOLS } from '../day-files/dataset-symbol.js';
import type { ExportJob } from './export-target.js';

/** When a job of a run may claim outputs. */
export interface ClaimTurn {
  /** Resolves when the earlier jobs that may have the same outputs have ended. */
  readonly start: Promise<unknown>;
  /** Call it when the job has ended, after it released its claims if it failed. */
  end(): void;
}

/**
 * Makes the jobs of a run claim their outputs in the order of the plan, so that of two with the same output the earlier
 * one has it, in any number of threads.
 */
export class ClaimOrder {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Adds a job. A file of a symbol and a file of a grouped symbol of one place wait for each other. */
  add({ place, sources }: ExportJob): ClaimTurn {
    const ended = createDeferred<void>();
    if (place === undefined) return { start: Promise.resolve(), end: ended.resolve };
    const isGroup = GROUPED_SYMBOLS.has(sources[0]?.file.symbol ?? '');
    const slot = `${isGroup} ${place}`;
    this.#ends.set(slot, Promise.all([this.#ends.get(slot), ended.promise]));
    return { start: Promise.resolve(this.#ends.get(`${!isGroup} ${place}`)), end: ended.resolve };
  }
}
