import { abortReason, TickhaulError as CodedError, type ErrorCode } from '../base/errors.js';
import { onAbort } from '../base/wait.js';
import { type SummaryJson, toSummaryJson } from '../events/json-events.js';
import { createFailedSummary, toRunFailure } from '../events/run-failure.js';
import { type CommandHost, readProcessHost } from '../operations/command-host.js';
import { EventQueue } from './event-queue.js';

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
