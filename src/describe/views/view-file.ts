import { computedColumns } from '../../convert/computed/computed-rows.js';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../day-files/data-types.js';
import type { DayFile } from '../../day-files/day-file.js';
import { parseNormalizedName } from '../../market/message-type-name.js';

/** A column as a file has it. */
export interface FileColumn {
  /** Empty for a column that no view reads (`toSqlColumns`). */
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

/** The columns of a data type or computed type; the leading columns if the type is unknown. */
export function findViewColumns(type: string): readonly Column[] {
  const computed = parseNormalizedName(type);
  const isComputed = computed !== undefined && computed.kind !== 'source';
  return dataTypeColumns(type) ?? (isComputed ? computedColumns(computed) : LEADING_COLUMNS);
}

/** A name as DuckDB compares it: without the case of ASCII letters. */
export function toNameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether SQL can contain the name. */
export function isSqlName(name: string): boolean {
  return name !== '' && !name.includes('\0');
}

/**
 * The columns of a file for SQL, with an empty name for those that a view cannot read: columns without a name, and of
 * several whose names differ only in case, all but the first.
 */
export function toSqlColumns(columns: readonly FileColumn[]): readonly FileColumn[] {
  const taken = new Set<string>();
  return columns.map(({ name, type }) => {
    const key = toNameKey(name);
    const isUsable = isSqlName(name) && !taken.has(key);
    taken.add(key);
    return { name: isUsable ? name : '', type };
  });
}

/** Quotes a name of a view or column. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text. Only quotes have a special meaning in it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
