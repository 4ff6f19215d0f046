import { ReservedText, type TextBudget } from '../raw-feeds/read/text-budget.js';

/** Sizes in bytes of the buffers of one client's replay. */
export interface ClientBuffers {
  /** Text of a day file that is read at once; its lines and their times need eight times as much. */
  readonly textBytes: number;
  /** Text or lines of a feed. */
  readonly bufferBytes: number;
  readonly writeBytes: number;
}

/** All small buffers of a client together need at most 512 KB. */
const SMALL: ClientBuffers = { textBytes: 16 * 1024, bufferBytes: 40 * 1024, writeBytes: 40 * 1024 };
/** Twice as fast, since threads exchange fewer messages. */
const LARGE: ClientBuffers = { textBytes: 256 * 1024, bufferBytes: 256 * 1024, writeBytes: 256 * 1024 };
/** Bytes of all buffers of a replay with `LARGE`. */
const LARGE_REPLAY_BYTES = 3 * 1024 * 1024;
const MIN_BUFFER_BYTES = 8 * 1024;
/** Bytes that all replays of a server share, for text of slices read ahead and for large buffers. */
export const SHARED_TEXT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a replay for one client. Its buffers are large while a quarter of the shared memory is free, and small otherwise: the
 * number of clients that never read must not multiply the large ones.
 * @param inputs number of inputs that are merged; each has separate buffers.
 */
export async function withClientBuffers<T>(
  shared: TextBudget,
  inputs: number,
  replay: (buffers: ClientBuffers) => Promise<T>,
): Promise<T> {
  const reserved = new ReservedText(shared);
  const isLarge =
    shared.left - LARGE_REPLAY_BYTES >= shared.bytes / 4 && reserved.tryReserve(LARGE_REPLAY_BYTES);
  const { textBytes, bufferBytes, writeBytes } = isLarge ? LARGE : SMALL;
  const inputBytes = Math.max(MIN_BUFFER_BYTES, Math.floor(bufferBytes / inputs));
  try {
    return await replay({ textBytes, bufferBytes: inputBytes, writeBytes });
  } finally {
    reserved.close();
  }
}
