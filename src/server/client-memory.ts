/**
 * What waits for one client of a replay is 512 KB at most, all buffers together: six of text, lines and writes, with the
 * times of the lines and the strings that are being parsed.
 */
const BUFFER_BYTES = 40 * 1024;
/** Bytes of the smallest buffer. */
const MIN_BUFFER_BYTES = 8 * 1024;
/** Bytes of a day file's text that are read at once; its lines take eight times as much, with their times. */
export const DAY_FILE_TEXT_BYTES = 16 * 1024;
/** Bytes of text that slices ahead of all replays of a process hold together. */
export const SLICE_TEXT_BYTES = 64 * 1024 * 1024;

/** Bytes of each buffer of one client's replay. @param inputs number of inputs that it merges; each has its own buffers. */
export function clientBufferBytes(inputs = 1): number {
  return Math.max(MIN_BUFFER_BYTES, Math.floor(BUFFER_BYTES / inputs));
}
