/** Processes that do the same works in the same folders, and share what one of them would take alone. */
export interface ProcessGroup {
  /** How many. */
  readonly processes: number;
  readonly mutex: KeyedMutex;
}

/** Lets works of the same name follow each other. */
export interface KeyedMutex {
  /**
   * @param work given what the one before it noted, where that is known.
   * @param noteOf what is noted of its result.
   * @throws what the work throws; the reason of an abort, also while it waits for its turn.
   */
  runExclusive<T>(
    name: string,
    signal: AbortSignal,
    work: (note?: number) => Promise<T>,
    noteOf?: (result: T) => number | undefined,
  ): Promise<T>;
}
