// Turns the columns of day files into those of NautilusTrader's catalog, and encodes these for Parquet.
import { createTables } from '../../../format/kernel/assembly/parquet/numbers';
import { createTens } from './fixed';

export { allocate } from '../../../format/kernel/assembly/memory';
export { findDistinctDoubles } from '../../../format/kernel/assembly/parquet/numbers';
export { writeIndices } from '../../../format/kernel/assembly/parquet/encodings';
export { writeDeltaLongs } from '../../../format/kernel/assembly/parquet/encodings';
export {
  storeSharedPrefixes,
  writeDeltaLengthText,
  writeDeltaText,
} from '../../../format/kernel/assembly/parquet/text-encodings';
export {
  copyTexts,
  findDistinctTexts,
  findTextRange,
  maxText,
  minText,
  writePlainText,
} from '../../../format/kernel/assembly/parquet/text-encodings';
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
export { compressSnappy, maxSnappyBytes } from '../../../format/compression/assembly/snappy';
export { deriveIds, fillIdSlots, readIdSlots } from './trade-ids';

/** Call it once, first. */
export function initialize(): void {
  createTables();
  createTens();
}
