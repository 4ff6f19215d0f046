import { abortReason, TickhaulError as CodedError, type ErrorCode } from '../base/errors.js';
import { onAbort } from '../base/wait.js';
import { type SummaryJson, toSummaryJson } from '../events/json-events.js';
import { createFailedSummary, toRunFailure } from '../events/run-failure.js';
import { type CommandHost, readProcessHost } from '../operations/command-host.js';

/**
 * A run in progress: a promise of its result, and an async iterable of its events. The iterable has one reader, which
 * must start in the same turn of the event loop in which the run was started. Leaving the loop early ends the run.
 * Promise and iterable fail with the same error.
 */
export type Run<Item, Result> = Promise<Result> & AsyncIterable<Item>;

/**
 * Starts the work in the next microtask, so that the caller can start to read first.
 * @param callerSignal ends the work cleanly.
 */
export function startRun<Item, Result>(
  callerSignal: AbortSignal | undefined,
  work: (feed: EventQueue<Item>, signal: AbortSignal) => Promise<Result>,
): Run<Item, Result> {
  const startedAtMs = performance.now();
  const controller = new AbortController();
  const { signal } = controller;
  // The caller's reason can be any value; the work needs an error with a code.
  const removeListener =
    callerSignal && onAbort(callerSignal, () => controller.abort(abortReason(callerSignal)));
  const feed = new EventQueue<Item>(async () => {
    controller.abort(new CodedError('interrupted', 'interrupted: the reader of the events left early'));
    await promise.catch(() => {});
  });
  const promise: Promise<Result> = Promise.resolve().then(async () => {
    try {
      const result = await work(feed, signal);
      feed.end();
      return result;
    } catch (thrown) {
      const error = thrown instanceof LibraryError ? thrown : toLibraryError(thrown, startedAtMs);
      feed.end(error);
      throw error;
    } finally {
      removeListener?.();
    }
  });
  return Object.assign(promise, {
    [Symbol.asyncIterator]() {
      // The reader gets the failure from the iterable.
      promise.catch(() => {});
      return feed.read();
    },
  });
}

/** Error of a run that failed before it had a summary. */
function toLibraryError(thrown: unknown, startedAtMs: number): LibraryError {
  const failure = toRunFailure(thrown);
  return new LibraryError(
    failure.error,
    toJsonValue(toSummaryJson(createFailedSummary(failure, startedAtMs))),
    findCause(thrown),
  );
}

/** The error that was thrown, or its cause if tickhaul itself created it. */
export function findCause(thrown: unknown): unknown {
  return thrown instanceof CodedError ? thrown.cause : thrown;
}

/** Copies a value through JSON, which drops undefined fields. */
export function toJsonValue<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/**
 * Error of a library call whose command would not end with exit code 0. `src/index.ts` exports it as TickhaulError,
 * which is the name of its internal counterpart without a summary (`src/base/errors.ts`).
 */
export class LibraryError extends Error {
  override readonly name = 'TickhaulError';
  readonly code: ErrorCode;
  /** Exit code that the command would have. */
  readonly exitCode: number;
  /** HTTP status, if a response caused the error. */
  readonly status: number | undefined;
  /** Summary of the work done before the error, as in `--json`. */
  readonly summary: SummaryJson;

  constructor(
    {
      code,
      message,
      status,
    }: { readonly code: ErrorCode; readonly message: string; readonly status?: number | undefined },
    summary: SummaryJson,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.exitCode = summary.exitCode;
    this.status = status;
    this.summary = summary;
  }
}

/**
 * The library's only access to `process`. It leaves the standard streams and the signals of the process to the
 * program.
 */
export function createLibraryHost(signal: AbortSignal, warn: (message: string) => void): CommandHost {
  return {
    ...readProcessHost(process),
    stdin: undefined,
    signal,
    commandLine: 'tickhaul, as a library',
    warn,
  };
}

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
