import { FAULT_KINDS, type FaultKind } from '../http/sandbox-faults.js';

/** Faults that slices share with day files. A slice has no `x-md5`, and is not a JSON document. */
type SharedFault = Exclude<FaultKind, 'wrong-md5' | 'not-json'>;
const SHARED_FAULTS = FAULT_KINDS.filter(
  (kind): kind is SharedFault => kind !== 'wrong-md5' && kind !== 'not-json',
);

/** Faults that only a slice can have. */
const SLICE_FAULTS = [
  /** No `x-slice-size`. */
  'no-slice-size',
  /** One minute less than requested; `x-slice-size` says so. */
  'short-slice',
  /** `content-encoding: br`, which the client does not accept. */
  'wrong-encoding',
  /** The header names gzip for zstd, or zstd for gzip. */
  'other-encoding',
  /** Requested before the data is complete: a valid response without lines. */
  'early',
  /** The last line is incomplete and has no LF. */
  'unterminated',
] as const;

export const FEED_FAULTS = [...SHARED_FAULTS, ...SLICE_FAULTS] as const;

export type FeedFault = (typeof FEED_FAULTS)[number];

/** The fault as one of day files; undefined if they do not have it. */
export function toDayFileFault(fault: FeedFault | undefined): FaultKind | undefined {
  return SHARED_FAULTS.find((kind) => kind === fault);
}
