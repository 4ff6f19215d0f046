export type Effort = 'fast' | 'small';

/** Compresses bytes to one complete frame, valid until the next call. Without compression, returns the input itself. */
export type Compress = (bytes: Uint8Array, effort: Effort) => Uint8Array;
