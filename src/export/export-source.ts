import type { DayFile } from '../day-files/day-file.js';

/** Advice for a symbol that cannot be exported: `-s` selects, and cannot exclude. */
export const SELECT_OTHERS = 'select the other symbols with -s (in a config file: symbols)';

/** A day file to export. */
export interface ExportSource {
  /** A location. */
  readonly path: string;
  readonly file: DayFile;
}

/** By exchange, symbol, day, data type. */
export function compareSources({ file: a }: ExportSource, { file: b }: ExportSource): number {
  return (
    compare(a.exchange, b.exchange) ||
    compare(a.symbol, b.symbol) ||
    a.day - b.day ||
    compare(a.dataType, b.dataType)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
