export type Effort = 'fast' | 'small';

/** Bytes in, one whole compressed frame out; it may be the input itself, where nothing is compressed. */
export type Compress = (bytes: Uint8Array, effort: Effort) => Uint8Array;
