/** Items that came together; they are made one by one, as they are read. */
interface Batch<Item> {
  readonly items: Iterator<Item>;
  readonly taken: () => void;
  readonly failed: (error: unknown) => void;
}

interface Waiting<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/** What a run tells, on its way to the one who reads it. While nobody does, nothing is kept. */
export class EventQueue<Item> {
  readonly #leave: () => Promise<void>;
  readonly #batches: Batch<Item>[] = [];
  readonly #waiting: Waiting<Item>[] = [];
  #reading: 'not yet' | 'now' | 'no more' = 'not yet';
  #end: { error?: unknown } | undefined;

  /** @param leave ends the run, as its reader has left; resolves when it has ended. */
  constructor(leave: () => Promise<void>) {
    this.#leave = leave;
  }

  get isRead(): boolean {
    return this.#reading === 'now';
  }

  /** Leaves an item for the reader, however slow that is. */
  push(item: Item): void {
    void this.send([item]).catch(() => {});
  }

  /** Resolves when the reader has taken all of them, or nobody reads. @throws what making one of them throws. */
  async send(items: Iterable<Item>): Promise<void> {
    if (!this.isRead) return;
    await new Promise<void>((taken, failed) => {
      this.#batches.push({ items: items[Symbol.iterator](), taken, failed });
      this.#serve();
    });
  }

  /** Nothing comes any more. @param error what the reader is told then. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    this.#serve();
  }

  /** Begins to read; what came before is gone. @throws TypeError for a second reader. */
  read(): AsyncIterableIterator<Item, undefined> {
    if (this.#reading !== 'not yet') throw new TypeError('what a run tells can be read once');
    this.#reading = 'now';
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
      this.#serve();
    });
  }

  async #return(): Promise<IteratorResult<Item, undefined>> {
    if (this.#reading === 'now') {
      this.#reading = 'no more';
      const left = this.#leave();
      for (const { taken } of this.#batches.splice(0)) taken();
      for (const { resolve } of this.#waiting.splice(0)) resolve(DONE);
      await left;
    }
    return DONE;
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const item = this.#take();
      if (item) this.#waiting.shift()?.resolve(item);
      else if (this.#end) this.#finish(this.#end);
      else return;
    }
  }

  /** The next item that is there. */
  #take(): IteratorYieldResult<Item> | undefined {
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      try {
        const item = batch.items.next();
        if (item.done !== true) return item;
        batch.taken();
      } catch (error) {
        batch.failed(error);
      }
      this.#batches.shift();
    }
    return undefined;
  }

  /** The error is told once, then it is over. */
  #finish(end: { error?: unknown }): void {
    const waiting = this.#waiting.shift();
    const { error } = end;
    delete end.error;
    if (error === undefined) waiting?.resolve(DONE);
    else waiting?.reject(error);
  }
}
