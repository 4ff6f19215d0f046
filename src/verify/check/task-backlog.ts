/** Tasks that are awaited later, so that the caller can continue meanwhile. */
export interface TaskBacklog {
  /** Adds a running task, and resolves when there is room for another. @throws the first error of any task. */
  add(task: Promise<void>): Promise<void>;
  /** Resolves when all tasks have ended. @throws the first error of any task. */
  drain(): Promise<void>;
}
/** @param maxPending number of tasks that may run while the caller continues. */
export function createTaskBacklog(maxPending: number): TaskBacklog {
  const pending = new Set<Promise<void>>();
  let failures: readonly unknown[] = [];
  const throwFirstFailure = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    async add(task) {
      const running = task
        .catch((error: unknown) => {
          failures = [...failures, error];
        })
        .finally(() => pending.delete(running));
      pending.add(running);
      while (pending.size > maxPending) await Promise.race(pending);
      throwFirstFailure();
    },
    async drain() {
      await Promise.all(pending);
      throwFirstFailure();
    },
  };
}
