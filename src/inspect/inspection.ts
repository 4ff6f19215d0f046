import type { OutputFormatName } from '../base/output-format-names.js';
import type { FileContent } from '../format/inspection/file-content.js';

/** Summary of a file. */
export interface Inspection extends FileContent {
  readonly path: string;
  readonly format: 'csv' | OutputFormatName;
  /** Data type of a CSV file. */
  readonly dataType?: string | undefined;
}
