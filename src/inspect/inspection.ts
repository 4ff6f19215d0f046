/** A cell as plain data: times are integer microseconds, UTC. Integers past 2^53 are text. */
export type Cell = string | number | boolean | null;

export interface InspectedColumn {
  readonly name: string;
  /** `timestamp`, `string`, `boolean`, `double`, `int64` …; of NDJSON, JSON's own types; `null` for no value. */
  readonly type: string;
  /** Undefined where a Parquet file doesn't say. */
  readonly nulls: number | undefined;
  /** Undefined where no cell has a value, or a Parquet file doesn't say. */
  readonly min: Cell | undefined;
  readonly max: Cell | undefined;
}

/** The longest time between two rows that follow one another. */
export interface TimeGap {
  readonly microseconds: number;
  /** `local_timestamp` of the row before it. */
  readonly from: number;
}

/** What a file holds. */
export interface Inspection {
  readonly path: string;
  readonly format: 'csv' | 'parquet' | 'ndjson';
  /** On disk. */
  readonly bytes: number;
  readonly rows: number;
  /** Of a CSV. */
  readonly dataType?: string | undefined;
  /** Of a Parquet file. */
  readonly rowGroups?: number | undefined;
  /** A Parquet file's key-value metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly columns: readonly InspectedColumn[];
  /** From the first to the last `local_timestamp`, in microseconds; undefined without such a column, or rows. */
  readonly timeRange?: { readonly from: number; readonly to: number } | undefined;
  readonly largestGap?: TimeGap | undefined;
  /** Rows whose `local_timestamp` is before that of the row above. */
  readonly outOfOrder?: number | undefined;
  /** Why order and rows of a Parquet file are not known: data that can't be read here. */
  readonly unread?: string | undefined;
  readonly first: readonly (readonly Cell[])[];
  readonly last: readonly (readonly Cell[])[];
}

/** The column that orders a file's rows. */
export const TIME_COLUMN = 'local_timestamp';
