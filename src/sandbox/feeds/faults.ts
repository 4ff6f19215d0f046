import type { FaultKind } from '../http/faults.js';

/** What can go wrong with a slice as with a day file. */
const LIKE_FILES = [
  'rate-limit',
  'transfer-limit',
  'ip-lock',
  '500',
  '502',
  '503',
  'reset',
  'stall',
  'truncate',
  'short',
  'bit-flip',
  'no-length',
  'slow-start',
  'html',
  'trailing',
  'empty',
] as const satisfies readonly FaultKind[];

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
export function likeFiles(fault: FeedFault | undefined): FaultKind | undefined {
  return LIKE_FILES.find((kind) => kind === fault);
}
