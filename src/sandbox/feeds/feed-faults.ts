import { FAULT_KINDS, type FaultKind } from '../http/fault-kinds.js';

/** What can go wrong with a slice as with a day file: a slice has no `x-md5`, and is no JSON document. */
type LikeFiles = Exclude<FaultKind, 'wrong-md5' | 'not-json'>;
const LIKE_FILES = FAULT_KINDS.filter(
  (kind): kind is LikeFiles => kind !== 'wrong-md5' && kind !== 'not-json',
);

/** What only a slice can have. */
const OF_SLICES = [
  /** No `x-slice-size`. */
  'no-slice-size',
  /** A minute less than was asked for, as `x-slice-size` says. */
  'short-slice',
  /** `content-encoding: br`, which nobody asked for. */
  'wrong-encoding',
  /** The other one of gzip and zstd is named. */
  'other-encoding',
  /** Asked for too early: a whole answer without a line. */
  'early',
  /** The last line breaks off, and has no LF. */
  'unterminated',
] as const;

export const FEED_FAULTS = [...LIKE_FILES, ...OF_SLICES] as const;

export type FeedFault = (typeof FEED_FAULTS)[number];

/** The fault as one that day files have too. */
export function toDayFileFault(fault: FeedFault | undefined): FaultKind | undefined {
  return LIKE_FILES.find((kind) => kind === fault);
}
