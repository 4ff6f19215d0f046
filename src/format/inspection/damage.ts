import { TickhaulError } from '../../base/errors.js';

/** Thrown if data takes more memory or time than an inspection spends on it; the data may be valid. */
export class TooLargeError extends RangeError {}

/** A small file can have few bytes for many values, and a large one may take its time. */
const FREE_STEPS = 64_000_000;
const STEPS_PER_BYTE = 2;

/** Limits the work that a file can cause: a step is reading a value, or what takes as long. */
export class StepLimit {
  readonly #limit: number;
  #steps = 0;

  /** @param bytes size of the file. */
  constructor(bytes: number) {
    this.#limit = FREE_STEPS + STEPS_PER_BYTE * bytes;
  }

  /** @throws TooLargeError beyond the limit. */
  take(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limit) throw new TooLargeError(`it takes more than ${this.#limit} steps to read`);
  }
}

/** Whether an error shows that bytes cannot be read, whatever has thrown it: not a system call, nor a known error. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TickhaulError) && !('syscall' in error);
}

/** Describes bytes that cannot be read. Node's own RangeErrors name an argument of a function. */
export function describeDamage(error: Error): string {
  return error instanceof RangeError && 'code' in error ? 'a value is outside of its data' : error.message;
}
