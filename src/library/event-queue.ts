/** Items that were sent together; the iterator creates each item when it is read. */
interface Batch<Item> {
  readonly items: Iterator<Item>;
  readonly onRead: () => void;
  readonly onError: (error: unknown) => void;
}

interface Waiting<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/** Events of a run, queued for their reader. Discarded if there is no reader. */
export class EventQueue<Item> {
  readonly #stopRun: () => Promise<void>;
  readonly #batches: Batch<Item>[] = [];
  readonly #waiting: Waiting<Item>[] = [];
  #readState: 'not started' | 'reading' | 'ended' = 'not started';
  #end: { error?: unknown } | undefined;

  /** @param stopRun ends the run after its reader has left; resolves when the run has ended. */
  constructor(stopRun: () => Promise<void>) {
    this.#stopRun = stopRun;
  }

  get isRead(): boolean {
    return this.#readState === 'reading';
  }

  /** Queues an item without waiting for the reader. */
  push(item: Item): void {
    void this.send([item]).catch(() => {});
  }

  /**
   * Resolves when the reader has read all items, or if there is no reader.
   * @throws errors of the items' iterator.
   */
  async send(items: Iterable<Item>): Promise<void> {
    if (!this.isRead) return;
    await new Promise<void>((onRead, onError) => {
      this.#batches.push({ items: items[Symbol.iterator](), onRead, onError });
      this.#deliver();
    });
  }

  /**
   * Ends the queue: no more items follow.
   * @param error the reader's iterator rejects with it after the last item.
   */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    this.#deliver();
  }

  /** Starts to read; earlier items are gone. @throws TypeError for a second reader. */
  read(): AsyncIterableIterator<Item, undefined> {
    if (this.#readState !== 'not started')
      throw new TypeError('events: the run already has a reader; read the events of a run only once');
    this.#readState = 'reading';
    return {
      next: () => this.#next(),
      return: () => this.#return(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #next(): Promise<IteratorResult<Item, undefined>> {
    if (!this.isRead) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#deliver();
    });
  }

  async #return(): Promise<IteratorResult<Item, undefined>> {
    if (this.#readState === 'reading') {
      this.#readState = 'ended';
      const stopped = this.#stopRun();
      for (const { onRead } of this.#batches.splice(0)) onRead();
      for (const { resolve } of this.#waiting.splice(0)) resolve(DONE);
      await stopped;
    }
    return DONE;
  }

  #deliver(): void {
    while (this.#waiting.length > 0) {
      const item = this.#nextItem();
      if (item) this.#waiting.shift()?.resolve(item);
      else if (this.#end) this.#finishNext(this.#end);
      else return;
    }
  }

  /** The next queued item; undefined if there is none. */
  #nextItem(): IteratorYieldResult<Item> | undefined {
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      try {
        const item = batch.items.next();
        if (item.done !== true) return item;
        batch.onRead();
      } catch (error) {
        batch.onError(error);
      }
      this.#batches.shift();
    }
    return undefined;
  }

  /** Rejects the first waiting read with the error; all later reads end normally. */
  #finishNext(end: { error?: unknown }): void {
    const waiting = this.#waiting.shift();
    const { error } = end;
    delete end.error;
    if (error === undefined) waiting?.resolve(DONE);
    else waiting?.reject(error);
  }
}
