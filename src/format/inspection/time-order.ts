import type { FileContent, TimeGap } from './file-content.js';

/** Tracks the `local_timestamp`s of a file's rows. */
export class TimeOrder {
  #previous: number | undefined;
  #gap: TimeGap | undefined;
  #outOfOrder = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  /** Adds a time in microseconds, in the order of the rows. */
  add(time: number): void {
    const previous = this.#previous;
    this.#previous = time;
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    if (previous === undefined) return;
    if (time < previous) this.#outOfOrder++;
    else if (time - previous > (this.#gap?.microseconds ?? -1)) {
      this.#gap = { microseconds: time - previous, from: previous };
    }
  }

  read(): Pick<FileContent, 'timeRange' | 'largestGap' | 'outOfOrder'> {
    if (this.#previous === undefined) return {};
    const timeRange = { from: this.#from, to: this.#to };
    return { timeRange, largestGap: this.#gap, outOfOrder: this.#outOfOrder };
  }
}
