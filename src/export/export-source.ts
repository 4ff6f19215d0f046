import type { DayFile } from '../dataset/day-file.js';

/** A day file to export. */
export interface ExportSource {
  /** A location. */
  readonly path: string;
  readonly file: DayFile;
}
