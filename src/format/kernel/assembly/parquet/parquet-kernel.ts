// Parses CSV text into columns, and encodes columns for Parquet and Arrow. It stops at unusual cells, which the
// caller parses.
export { allocate } from '../memory';
export { appendNull, appendText, appendValue } from './cells';
export { cellColumn, cellStart, endRow, parseRows, resumeAfterCell } from './rows';
export { clearSharing, initSharing } from './sharing';
export {
  getBytes,
  clearColumns,
  getCount,
  createColumns,
  dropPartialRow,
  isPlain,
  getLane,
  allocateLanes,
  padLongTexts,
  getNullCount,
  getNulls,
  getOffsets,
  rowCount,
  setColumn,
  getTexts,
} from './columns';
export { createTables } from './decimal';
export { countOnes, dropNulls, dropNullTexts, widenBits } from './dense';
export { findDistinctDoubles } from './doubles';
export { gatherTexts, packBooleans, storeOffsets } from './flat-values';
export { writeIndices, writeSizedBits, writeSizedOnes } from './rle';
export { writeDeltaLongs } from './delta';
export { storeSharedPrefixes, writeDeltaLengthText, writeDeltaText } from './delta-text';
export {
  findDistinctTexts,
  findTextRange,
  maxText,
  minText,
  copyTexts,
  writePlainText,
} from './text-values';
export { findRange, maxValue, minValue, stepsBack, convertToLongs } from './range';
