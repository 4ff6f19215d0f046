/** Works that are waited for later, so that what goes on meanwhile needn't stand still. */
export interface TaskBacklog {
  /** Resolves when there is room for another one. @throws what any of them threw. */
  add(work: Promise<void>): Promise<void>;
  /** Resolves when all have ended. @throws what any of them threw. */
  drain(): Promise<void>;
}

/** @param most works that may be under way while others begin. */
export function createTaskBacklog(most: number): TaskBacklog {
  const underWay = new Set<Promise<void>>();
  let failures: readonly unknown[] = [];
  const refuseFailed = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    async add(work) {
      const ended = work
        .catch((error: unknown) => {
          failures = [...failures, error];
        })
        .finally(() => underWay.delete(ended));
      underWay.add(ended);
      while (underWay.size > most) await Promise.race(underWay);
      refuseFailed();
    },
    async drain() {
      await Promise.all(underWay);
      refuseFailed();
    },
  };
}
