import type { DayFile } from '../../day-files/day-file.js';

/** A column as a file has it. */
export interface FileColumn {
  /** Empty for a column that no view reads (`view-names.ts`). */
  readonly name: string;
  /** `string`, `int64`, `double`, `boolean`, `timestamp`; a Parquet file of another writer may have others. */
  readonly type: string;
}

/** A file that a view reads. */
export interface ViewFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Data type or computed type. */
  readonly type: string;
  /** Undefined if neither its name, its metadata nor a manifest states it. */
  readonly file: DayFile | undefined;
  readonly columns: readonly FileColumn[];
}
