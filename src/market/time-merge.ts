/** Available messages of one input, in the input's order. */
export interface TimedBatch {
  readonly count: number;
  /** Microseconds, one per message; may be longer than `count`. */
  readonly localTimestamps: Float64Array;
  /**
   * For a batch without messages: no later message is before this time in microseconds, so that other inputs
   * need not wait until then. Undefined if it is unknown.
   */
  readonly notBefore?: number | undefined;
}

/**
 * Merges inputs by local timestamp; on ties, the earlier input wins (docs/spec/normalized-messages.md#order). It does
 * not sort: an input keeps its own order, even if its times go back. Exhausted inputs are dropped. The merge does not
 * wait for an input with `notBefore` until it reaches that time. One batch per input is held; selecting the next
 * message takes logarithmic time in the number of inputs.
 *
 *     while (await merge.fill()) {
 *       while (merge.next()) use(merge.batch, merge.start, merge.end, merge.input);
 *     }
 *
 * `next` selects runs: consecutive messages from `start` up to, but not including, `end` of `batch`. An input
 * may reuse a batch as soon as `fill` is called after the batch's last run.
 */
export class TimeMerge<B extends TimedBatch> {
  /** Index of the run's input. */
  input = 0;
  start = 0;
  end = 0;
  readonly #inputs: readonly MergeInputState<B>[];
  /** Inputs with a message or with `notBefore`, as a heap: none comes before its parent. */
  readonly #heap: MergeInputState<B>[] = [];
  /** Inputs whose batch is used up. */
  #waiting: MergeInputState<B>[];
  #batch: B | undefined;

  constructor(inputs: readonly AsyncIterable<B>[]) {
    this.#inputs = inputs.map((input, index) => new MergeInputState(index, input[Symbol.asyncIterator]()));
    this.#waiting = [...this.#inputs];
  }

  /** The batch that contains the run. */
  get batch(): B {
    if (!this.#batch) throw new Error('there is no run until next() returns true');
    return this.#batch;
  }

  /**
   * Waits until each input has a message, has `notBefore`, or is at its end. Resolves to false when all are
   * at their end.
   * @throws errors of an input, after all messages that precede the error in the merge: an input is read only
   * when its next message is needed.
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

  /** Selects the next run; false if `fill` must be called first. */
  next(): boolean {
    const first = this.#heap[0];
    if (this.#waiting.length > 0 || !first?.batch) return false;
    const { batch, index } = first;
    const { localTimestamps, count } = batch;
    if (count === 0) {
      // The next message may come from this input.
      this.#waiting.push(first);
      this.#removeFirst();
      return false;
    }
    const second = this.#secondInput();
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
      this.#removeFirst();
    } else {
      first.time = localTimestamps[at] as number;
      this.#siftDown(first);
    }
    return true;
  }

  /** Ends the inputs early, and waits until they have released their resources. */
  async close(): Promise<void> {
    await Promise.all(this.#inputs.map((input) => input.close()));
  }

  #secondInput(): MergeInputState<B> | undefined {
    const left = this.#heap[1];
    const right = this.#heap[2];
    return left && right && isBefore(right, left) ? right : left;
  }

  #add(input: MergeInputState<B>): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const parentInput = heap[parent] as MergeInputState<B>;
      if (!isBefore(input, parentInput)) break;
      heap[at] = parentInput;
      at = parent;
    }
    heap[at] = input;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#siftDown(last);
  }

  /** Moves an input from the top of the heap to its place. */
  #siftDown(input: MergeInputState<B>): void {
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
      const childInput = heap[child] as MergeInputState<B>;
      if (!isBefore(childInput, input)) break;
      heap[at] = childInput;
      at = child;
    }
    heap[at] = input;
  }
}

class MergeInputState<B extends TimedBatch> {
  batch: B | undefined;
  /** Position and time of the batch's next message. */
  at = 0;
  time = 0;

  constructor(
    readonly index: number,
    readonly iterator: AsyncIterator<B>,
  ) {}

  /** Reads the next batch with messages or `notBefore`; undefined at the end. */
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
