import { OUTPUT_EXTENSIONS, type OutputFormatName } from '../base/output-format-names.js';
import type { FileContent } from '../format/inspection/file-content.js';

/** Extension of Arrow files of other writers, and of those for freqtrade. */
export const FEATHER_EXTENSION = '.feather';

/** Extensions of the files that can be inspected, with the leading dot. */
export const INSPECTED_EXTENSIONS: readonly string[] = [
  '.csv.gz',
  ...OUTPUT_EXTENSIONS.map((extension) => `.${extension}`),
  FEATHER_EXTENSION,
];

/** Summary of a file. */
export interface Inspection extends FileContent {
  readonly path: string;
  readonly format: 'csv' | OutputFormatName;
  /** Data type of a CSV file. */
  readonly dataType?: string | undefined;
}
