import pLimit, { type LimitFunction } from 'p-limit';
import type { Concurrency } from './concurrency.js';

/** A file's share of the limit: it needs one while its bytes are on their way. */
export interface Place {
  /** Waits for one, unless it has one; at the run's end without one, since nothing is fetched any more. */
  take(): Promise<void>;
  /** Gives it to another file. */
  leave(): void;
  /** Gives it away for good: the task only waits for something small, and counts as none at work. */
  retire(): void;
}

/** One limit over a whole run, fed lazily. */
export interface Pool {
  /**
   * Resolves when the task has begun and there is room for another, below a limit of the caller's own as well.
   * The task begins with a place, and may leave it while it waits, or has only its own work to do. At the run's end it
   * begins without one, to tell so.
   */
  run(task: (place: Place) => Promise<void>, most?: number): Promise<void>;
  /** To be called when the limit may have grown. */
  adjust(): void;
  /** Waits for all that has begun. Rejects with the first failure of a task. */
  idle(): Promise<void>;
}

/** Tasks that may be without a place before the next one has to wait for them, and those that have retired. */
const MOST_WITHOUT = 20;
const MOST_RETIRED = 2000;

/**
 * @param signal at the run's end: nobody waits for a place any longer.
 * @param limit shared with other pools of the same concurrency: places go round among them.
 */
export function createPool(
  concurrency: Concurrency,
  signal: AbortSignal,
  limit: LimitFunction = pLimit(Math.max(1, concurrency.limit)),
): Pool {
  const running = new Set<Promise<void>>();
  /** Places that are taken, or waited for. */
  let taken = 0;
  let retired = 0;
  /** Callers of `run` that wait for room: each looks again. */
  let waiting: (() => void)[] = [];
  let failure: { readonly error: unknown } | undefined;

  const adjust = (): void => {
    limit.concurrency = Math.max(1, concurrency.limit);
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };

  const createPlace = (): Place & { end(): void } => {
    let end: (() => void) | undefined;
    let isRetired = false;
    const leave = (): void => {
      if (!end) return;
      end();
      end = undefined;
      taken--;
      adjust();
    };
    return {
      async take() {
        if (end || signal.aborted) return;
        taken++;
        await new Promise<void>((begin) => {
          const giveUp = (): void => {
            taken--;
            begin();
            adjust();
          };
          signal.addEventListener('abort', giveUp, { once: true });
          void limit(
            () =>
              new Promise<void>((resolve) => {
                signal.removeEventListener('abort', giveUp);
                // Its turn can't be taken back: it goes by.
                if (signal.aborted) return resolve();
                end = resolve;
                begin();
              }),
          );
        });
      },
      leave,
      retire() {
        if (!isRetired) retired++;
        isRetired = true;
        leave();
        adjust();
      },
      end() {
        if (isRetired) retired--;
        leave();
      },
    };
  };

  const work = async (task: (place: Place) => Promise<void>): Promise<void> => {
    const place = createPlace();
    await place.take();
    try {
      await task(place);
    } finally {
      place.end();
    }
  };

  return {
    async run(task, most = Number.POSITIVE_INFINITY) {
      const job: Promise<void> = work(task)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          running.delete(job);
          adjust();
        });
      running.add(job);
      for (;;) {
        if (failure) throw failure.error;
        const mostPlaces = Math.min(most, concurrency.limit);
        const atWork = running.size - retired;
        if (taken < mostPlaces && atWork < mostPlaces + MOST_WITHOUT && retired < MOST_RETIRED) return;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
    adjust,
    async idle() {
      await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
