/** A cell as plain data: times are integer microseconds, UTC. Integers beyond 2^53 are text. */
export type Cell = string | number | boolean | null;

export interface InspectedColumn {
  readonly name: string;
  /**
   * `timestamp`, `string`, `boolean`, `double`, `int64` …; for NDJSON the JSON types; `null` if there are no
   * values.
   */
  readonly type: string;
  /** Undefined if a format with metadata does not state it. */
  readonly nulls: number | undefined;
  /** Undefined if no cell has a value, if one is a text of more than 4096 characters, or if the metadata does not state it. */
  readonly min: Cell | undefined;
  readonly max: Cell | undefined;
}

/** The longest time between two consecutive rows. */
export interface TimeGap {
  readonly microseconds: number;
  /** `local_timestamp` of the row before the gap. */
  readonly from: number;
}

/** Summary of a file's content. */
export interface FileContent {
  /** Size of the file. */
  readonly bytes: number;
  readonly rows: number;
  /** Number of row groups, of a format with row groups. */
  readonly rowGroups?: number | undefined;
  /** Key-value metadata, of a format with metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly columns: readonly InspectedColumn[];
  /** First and last `local_timestamp`, in microseconds; undefined without rows or without this column. */
  readonly timeRange?: { readonly from: number; readonly to: number } | undefined;
  readonly largestGap?: TimeGap | undefined;
  /** Number of rows whose `local_timestamp` is before that of the previous row. */
  readonly outOfOrder?: number | undefined;
  /**
   * Reason why order and rows are missing although the metadata is read: another writer's data cannot be read, or the
   * data takes too much memory or time.
   */
  readonly unread?: string | undefined;
  readonly first: readonly (readonly Cell[])[];
  readonly last: readonly (readonly Cell[])[];
}

/** The column that orders a file's rows. */
export const TIME_COLUMN = 'local_timestamp';
