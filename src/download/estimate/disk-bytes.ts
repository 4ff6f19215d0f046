import { ROWS_ONLY } from '../../convert/output-selection.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ConvertSetting } from '../download-options.js';

/**
 * Size of a computed type relative to the conversion of its rows: bars are far smaller, deep books larger.
 */
const COMPUTED_RATIO = 0.2;

/** Estimates the bytes on disk of day files and their conversions. @param bytes size of the day files. */
export function estimateDiskBytes(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { outputSelection = ROWS_ONLY } = convert;
  const { format, compression } = convert.options;
  const factor = OUTPUT_FORMATS[format].sizeRatio(compression);
  const outputCount = (outputSelection.rows ? 1 : 0) + COMPUTED_RATIO * outputSelection.computed.length;
  return bytes * (factor * outputCount + (convert.keepCsv ? 1 : 0));
}
