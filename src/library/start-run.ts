import { abortReason, TickhaulError as HouseError } from '../base/errors.js';
import { onAbort } from '../base/wait.js';
import { toSummaryJson } from '../run/json-events.js';
import { createFailedSummary, toRunFailure } from '../run/run-failure.js';
import { EventQueue } from './event-queue.js';
import { TickhaulError } from './library-error.js';
import { toJsonValue } from './to-json-value.js';

/**
 * Work under way: a promise of what it comes to, and an async iterable of what it tells. The iterable has one reader,
 * who begins in the same turn in which the work was begun; one who leaves early ends the work. Both end with the same
 * error.
 */
export type Run<Told, Result> = Promise<Result> & AsyncIterable<Told>;

/**
 * Begins some work, when the caller had its turn to ask for what it tells.
 * @param given ends it, in order.
 */
export function startRun<Told, Result>(
  given: AbortSignal | undefined,
  work: (feed: EventQueue<Told>, signal: AbortSignal) => Promise<Result>,
): Run<Told, Result> {
  const began = performance.now();
  const controller = new AbortController();
  const { signal } = controller;
  // Whatever the program's reason is, ours is an error with a code.
  const leave = given && onAbort(given, () => controller.abort(abortReason(given)));
  const feed = new EventQueue<Told>(async () => {
    controller.abort(new HouseError('interrupted', 'interrupted: nobody reads on'));
    await promise.catch(() => {});
  });
  const promise: Promise<Result> = Promise.resolve().then(async () => {
    try {
      const result = await work(feed, signal);
      feed.end();
      return result;
    } catch (thrown) {
      const error = thrown instanceof TickhaulError ? thrown : errorOf(thrown, began);
      feed.end(error);
      throw error;
    } finally {
      leave?.();
    }
  });
  return Object.assign(promise, {
    [Symbol.asyncIterator]() {
      // Who reads is told of a failure there.
      promise.catch(() => {});
      return feed.read();
    },
  });
}

/** What was thrown before there was a summary. */
function errorOf(thrown: unknown, began: number): TickhaulError {
  const failure = toRunFailure(thrown);
  return new TickhaulError(
    failure.error,
    toJsonValue(toSummaryJson(createFailedSummary(failure, began))),
    findCause(thrown),
  );
}

/** The error that was thrown, where it is no word of tickhaul itself. */
export function findCause(thrown: unknown): unknown {
  return thrown instanceof HouseError ? thrown.cause : thrown;
}
