// CSV text to columns, and columns to Parquet's encodings. What is not as usual stops it, and is taken outside.
export { allocate } from '../memory';
export { takeNull, takeText, takeValue } from './cells';
export { cellColumn, cellStart, endRow, isFull, parseRows, passCell } from './rows';
export { clearSharing, prepareSharing } from './sharing';
export {
  bytesOf,
  clearColumns,
  countOf,
  createColumns,
  isPlain,
  laneOf,
  layOut,
  loadNulls,
  loadTexts,
  nullCountOf,
  nullsOf,
  offsetsOf,
  rowCount,
  setColumn,
  setRowCount,
  textsOf,
} from './columns';
export { makeTables } from './decimal';
export { countOnes, dropNulls, dropNullTexts, widenBits } from './dense';
export { distinctDoubles } from './doubles';
export { writeIndices, writeSizedBits, writeSizedOnes } from './rle';
export { writeDeltaLongs } from './delta';
export { sharedPrefixes, writeDeltaLengthText, writeDeltaText } from './delta-text';
export {
  distinctTexts,
  findTextRange,
  greatestText,
  leastText,
  pickTexts,
  writePlainText,
} from './text-values';
export { findRange, greatest, least, stepsBack, toLongs } from './range';
