/** Processes that work on the same folders and share their results. */
export interface ProcessGroup {
  /** Number of processes. */
  readonly processes: number;
  readonly mutex: KeyedMutex;
}

/** Runs tasks with the same key one after the other, also across processes. */
export interface KeyedMutex {
  /**
   * @param task receives the note of the previous task with this key, if known.
   * @param createNote creates the note for the next task from the result.
   * @throws what the task throws; the abort reason, also while waiting for the lock.
   */
  runExclusive<T>(
    key: string,
    signal: AbortSignal,
    task: (note?: number) => Promise<T>,
    createNote?: (result: T) => number | undefined,
  ): Promise<T>;
}
