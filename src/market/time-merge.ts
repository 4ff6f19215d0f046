/** Messages of one input that are there, in the input's own order. */
export interface TimedBatch {
  readonly count: number;
  /** Microseconds, one a message; may be longer than `formatInteger`. */
  readonly localTimestamps: Float64Array;
  /**
   * Of a batch without messages: none to come is before so many microseconds, so that others needn't wait until then.
   * Undefined where only the next batch will tell.
   */
  readonly notBefore?: number | undefined;
}

/**
 * Merges inputs by local timestamp, ties to the input named first (replay facts, Merging several options). It is a
 * merge and no sort: within an input its own order stays, where its times step back too. An input that is at its end
 * drops out; one that says from when on it has messages is waited for only then. One batch an input is held; choosing
 * the next message costs the logarithm of the number of inputs.
 *
 *     while (await merge.fill()) {
 *       while (merge.next()) use(merge.batch, merge.start, merge.end, merge.input);
 *     }
 *
 * `next` gives runs: messages `start` up to, not including, `endConversion` of `batch` that follow each other. A batch may be
 * written over by its input once `fill` is called after its last run.
 */
export class TimeMerge<B extends TimedBatch> {
  /** The number of the input that the run comes from. */
  input = 0;
  start = 0;
  end = 0;
  readonly #inputs: readonly MergeInputState<B>[];
  /** Inputs that have a message, or know when at the earliest, as a heap: none comes before its parent. */
  readonly #heap: MergeInputState<B>[] = [];
  /** Inputs whose batch is used up. */
  #waiting: MergeInputState<B>[];
  #batch: B | undefined;

  constructor(inputs: readonly AsyncIterable<B>[]) {
    this.#inputs = inputs.map((input, index) => new MergeInputState(index, input[Symbol.asyncIterator]()));
    this.#waiting = [...this.#inputs];
  }

  /** Where the run lies. */
  get batch(): B {
    if (!this.#batch) throw new Error('there is no run before next() gave true');
    return this.#batch;
  }

  /**
   * Waits until each input has a message, knows when at the earliest, or is at its end; false when all are. Throws what
   * an input throws: what came before it in the merge has been given by then, since an input is asked only when its next
   * message is needed.
   */
  async fill(): Promise<boolean> {
    const waiting = this.#waiting;
    await Promise.all(waiting.map((input) => input.pull()));
    this.#waiting = [];
    for (const input of waiting) {
      if (input.batch) this.#add(input);
    }
    return this.#heap.length > 0;
  }

  /** The next run; false where `fill` has to be called first. */
  next(): boolean {
    const first = this.#heap[0];
    if (this.#waiting.length > 0 || !first?.batch) return false;
    const { batch, index } = first;
    const { localTimestamps, count } = batch;
    if (count === 0) {
      // Now it matters what it has.
      this.#waiting.push(first);
      this.#dropFirst();
      return false;
    }
    const second = this.#runnerUp();
    const limit = second ? second.time : Number.POSITIVE_INFINITY;
    const winsTies = second === undefined || index < second.index;
    let at = second ? first.at + 1 : count;
    while (at < count) {
      const time = localTimestamps[at] as number;
      if (time > limit || (time === limit && !winsTies)) break;
      at++;
    }
    this.#batch = batch;
    this.input = index;
    this.start = first.at;
    this.end = at;
    first.at = at;
    if (at === count) {
      this.#waiting.push(first);
      this.#dropFirst();
    } else {
      first.time = localTimestamps[at] as number;
      this.#sink(first);
    }
    return true;
  }

  /** Ends the inputs before their time; waits until they let go of what they hold. */
  async close(): Promise<void> {
    await Promise.all(this.#inputs.map((input) => input.close()));
  }

  #runnerUp(): MergeInputState<B> | undefined {
    const left = this.#heap[1];
    const right = this.#heap[2];
    return left && right && isBefore(right, left) ? right : left;
  }

  #add(input: MergeInputState<B>): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as MergeInputState<B>;
      if (!isBefore(input, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = input;
  }

  #dropFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
  }

  /** Puts an input in the first place, and from there where it belongs. */
  #sink(input: MergeInputState<B>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (
        child + 1 < heap.length &&
        isBefore(heap[child + 1] as MergeInputState<B>, heap[child] as MergeInputState<B>)
      )
        child++;
      const below = heap[child] as MergeInputState<B>;
      if (!isBefore(below, input)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = input;
  }
}

class MergeInputState<B extends TimedBatch> {
  batch: B | undefined;
  /** The next message of the batch, and its time. */
  at = 0;
  time = 0;

  constructor(
    readonly index: number,
    readonly iterator: AsyncIterator<B>,
  ) {}

  /** The next batch that has a message, or knows when at the earliest; none at the end. */
  async pull(): Promise<void> {
    do {
      const { done, value } = await this.iterator.next();
      this.batch = done ? undefined : value;
    } while (this.batch?.count === 0 && this.batch.notBefore === undefined);
    this.at = 0;
    this.time = (this.batch?.count === 0 ? this.batch.notBefore : this.batch?.localTimestamps[0]) ?? 0;
  }

  async close(): Promise<void> {
    this.batch = undefined;
    await this.iterator.return?.();
  }
}

function isBefore<B extends TimedBatch>(a: MergeInputState<B>, b: MergeInputState<B>): boolean {
  return a.time < b.time || (a.time === b.time && a.index < b.index);
}
