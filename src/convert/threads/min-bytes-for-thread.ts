/** A thread takes a while to start: smaller sources, in bytes of gzip, are done by then. */
export const MIN_BYTES_FOR_THREAD = 4_000_000;
