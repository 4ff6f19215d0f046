import pLimit, { type LimitFunction } from 'p-limit';
import type { Concurrency } from './concurrency.js';

/** A file's share of the limit: it needs one while its bytes are on their way. */
export interface TransferSlot {
  /** Waits for one, unless it has one; at the run's end without one, since nothing is fetched any more. */
  acquire(): Promise<void>;
  /** Gives it to another file. */
  release(): void;
  /** Gives it away for good: the task only waits for something small, and counts as none at work. */
  moveToBackground(): void;
}

/** One limit over a whole run, fed lazily. */
export interface TransferPool {
  /**
   * Resolves when the task has begun and there is room for another, below a limit of the caller's own as well.
   * The task begins with a place, and may leave it while it waits, or has only its own work to do. At the run's end it
   * begins without one, to tell so.
   */
  submit(task: (place: TransferSlot) => Promise<void>, most?: number): Promise<void>;
  /** To be called when the limit may have grown. */
  updateLimit(): void;
  /** Waits for all that has begun. Rejects with the first failure of a task. */
  waitForIdle(): Promise<void>;
}

/** Tasks that may be without a place before the next one has to wait for them, and those that have retired. */
const MAX_TASKS_BEYOND_LIMIT = 20;
const MAX_BACKGROUND_TASKS = 2000;

/**
 * @param signal at the run's end: nobody waits for a place any longer.
 * @param limit shared with other pools of the same concurrency: places go round among them.
 */
export function createTransferPool(
  concurrency: Concurrency,
  signal: AbortSignal,
  limit: LimitFunction = pLimit(Math.max(1, concurrency.limit)),
): TransferPool {
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

  const createPlace = (): TransferSlot & { end(): void } => {
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
      async acquire() {
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
      release: leave,
      moveToBackground() {
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

  const work = async (task: (place: TransferSlot) => Promise<void>): Promise<void> => {
    const place = createPlace();
    await place.acquire();
    try {
      await task(place);
    } finally {
      place.end();
    }
  };

  return {
    async submit(task, most = Number.POSITIVE_INFINITY) {
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
        if (
          taken < mostPlaces &&
          atWork < mostPlaces + MAX_TASKS_BEYOND_LIMIT &&
          retired < MAX_BACKGROUND_TASKS
        )
          return;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
    updateLimit: adjust,
    async waitForIdle() {
      await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
