import type { FileColumn } from './view-file.js';

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
