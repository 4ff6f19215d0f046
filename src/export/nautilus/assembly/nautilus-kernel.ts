// Turns the columns of day files into those of NautilusTrader's catalog, and encodes these for Parquet.
import { createTables } from '../../../format/columns/assembly/numbers';
import { createTens } from './fixed';

export { allocate } from '../../../format/assembly/memory';
export { findDistinctDoubles } from '../../../format/columns/assembly/numbers';
export { writeIndices } from '../../../format/columns/assembly/encodings';
export { writeDeltaLongs } from '../../../format/columns/assembly/encodings';
export {
  storeSharedPrefixes,
  writeDeltaLengthText,
  writeDeltaText,
} from '../../../format/columns/assembly/text-encodings';
export {
  copyTexts,
  findDistinctTexts,
  findTextRange,
  maxText,
  minText,
  writePlainText,
} from '../../../format/columns/assembly/text-encodings';
export { writeDeltas } from './deltas';
export { convertToFixed, roundedCount, stoppedAt } from './fixed';
export {
  convertToNanoseconds,
  findDistinctBytes,
  findDistinctWide,
  findLongRange,
  findNonZero,
  findStepBack,
  gather,
  maxLong,
  minLong,
} from './lanes';
export { compressSnappy, maxSnappyBytes } from '../../../format/assembly/snappy';
export { deriveIds, fillIdSlots, readIdSlots } from './trade-ids';

/** Call it once, first. */
export function initialize(): void {
  createTables();
  createTens();
}
