// Parses CSV text into columns, and encodes columns for Parquet and Arrow. It stops at unusual cells, which the
// caller parses.
export { allocate } from '../../assembly/memory';
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
export {
  countOnes,
  dropNulls,
  dropNullTexts,
  gatherTexts,
  packBooleans,
  storeOffsets,
  widenBits,
  writeDeltaLongs,
  writeIndices,
  writeSizedBits,
  writeSizedOnes,
} from './encodings';
export { createTables, findDistinctDoubles, findRange, maxValue, minValue, stepsBack, convertToLongs } from './numbers';
export {
  appendNull,
  appendText,
  appendValue,
  cellColumn,
  cellStart,
  endRow,
  parseRows,
  resumeAfterCell,
} from './rows';
export { clearSharing, initSharing } from './sharing';
export {
  findDistinctTexts,
  findTextRange,
  maxText,
  minText,
  copyTexts,
  storeSharedPrefixes,
  writeDeltaLengthText,
  writeDeltaText,
  writePlainText,
} from './text-encodings';
