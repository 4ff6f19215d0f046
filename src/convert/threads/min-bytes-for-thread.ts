/** Compressed size from which a thread pays: smaller sources are converted before a thread has started. */
export const MIN_BYTES_FOR_THREAD = 4_000_000;
