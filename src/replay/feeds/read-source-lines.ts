import { AsyncQueue } from '../../base/async-queue.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';
import { type FeedText, FeedTextBuffer } from './feed-text.js';

/** Parses and normalizes the messages of a source in another thread. */
export interface FeedReader {
  /** Sends more text. @param onUsed called when the reader no longer needs the text. */
  write(text: FeedText, onUsed: () => void): void;
  /** Marks the end of the text. */
  end(): void;
  /**
   * The lines of this reader; can be iterated once. A buffer is valid until the next one is requested.
   * @throws as `writeFeedLines`.
   */
  lines(): AsyncIterable<TimedLines>;
}

/** Maximum number of a source's text buffers in use. */
const TEXTS_IN_FLIGHT = 3;

/**
 * Reads the text of a source into swapped buffers; throws after all text before the error was handed over.
 */
export type ReadText = (swap: SwapBuffer<FeedTextBuffer>) => Promise<void>;

/**
 * Reads the text of a source in this thread and its lines in another one.
 * @param bufferBytes initial size of each buffer of text.
 * @throws as `writeFeedLines`; what `readText` throws, after all lines.
 */
export async function* readSourceLines(
  readText: ReadText,
  reader: FeedReader,
  bufferBytes: number,
): AsyncGenerator<TimedLines, void, undefined> {
  const free = new AsyncQueue(Array.from({ length: TEXTS_IN_FLIGHT }, () => new FeedTextBuffer(bufferBytes)));
  const push = (buffer: FeedTextBuffer): void => {
    const { bytes, length } = buffer;
    reader.write({ bytes, length }, () => free.push(buffer));
  };
  let failed: { readonly error: unknown } | undefined;
  const reading = readText(createSwapBuffer({ push }, free))
    .catch((error: unknown) => {
      failed = { error };
    })
    .finally(() => reader.end());
  try {
    yield* reader.lines();
    await reading;
    if (failed) throw failed.error;
  } finally {
    free.end();
    await reading;
  }
}
