import { FAULT_KINDS, type FaultKind } from '../http/sandbox-faults.js';

/** What can go wrong with a slice as with a day file: a slice has no `x-md5`, and is no JSON document. */
type SharedFault = Exclude<FaultKind, 'wrong-md5' | 'not-json'>;
const SHARED_FAULTS = FAULT_KINDS.filter(
  (kind): kind is SharedFault => kind !== 'wrong-md5' && kind !== 'not-json',
);

/** What only a slice can have. */
const SLICE_FAULTS = [
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

export const FEED_FAULTS = [...SHARED_FAULTS, ...SLICE_FAULTS] as const;

export type FeedFault = (typeof FEED_FAULTS)[number];

/** The fault as one that day files have too. */
export function toDayFileFault(fault: FeedFault | undefined): FaultKind | undefined {
  return SHARED_FAULTS.find((kind) => kind === fault);
}
