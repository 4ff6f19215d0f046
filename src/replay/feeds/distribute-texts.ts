import { AsyncQueue } from '../../base/async-queue.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';
import { FeedTextBuffer } from './feed-text.js';
import type { FeedReader } from './threads/feed-thread.js';

/** Maximum number of a source's text buffers in use. */
const TEXTS_IN_FLIGHT = 3;

/**
 * Reads the text of a source into swapped buffers; throws after all text before the error was handed over.
 */
export type ReadText = (swap: SwapBuffer<FeedTextBuffer>) => Promise<void>;

/** A distribution of text in progress. */
export interface TextDistribution {
  /**
   * Resolves after all text was distributed. @throws the error of reading it, after all text before was
   * distributed.
   */
  done(): Promise<void>;
  /** Stops the distribution if no more text is needed. */
  stop(): Promise<void>;
}

/**
 * Distributes a source's text: every reader gets all of it. A buffer is reused after all readers have used
 * it.
 * @param bufferBytes initial size of each buffer.
 */
export function distributeTexts(
  read: ReadText,
  readers: readonly FeedReader[],
  bufferBytes: number,
): TextDistribution {
  const free = new AsyncQueue(Array.from({ length: TEXTS_IN_FLIGHT }, () => new FeedTextBuffer(bufferBytes)));
  const push = (buffer: FeedTextBuffer): void => {
    const { bytes, length, shares } = buffer;
    let pendingReaders = readers.length;
    const onUsed = (): void => {
      if (--pendingReaders === 0) free.push(buffer);
    };
    for (const reader of readers) reader.write({ bytes, length, shares }, onUsed);
  };
  let failed: { readonly error: unknown } | undefined;
  const reading = read(createSwapBuffer({ push }, free))
    .catch((error: unknown) => {
      failed = { error };
    })
    .finally(() => {
      for (const reader of readers) reader.end();
    });
  return {
    async done() {
      await reading;
      if (failed) throw failed.error;
    },
    async stop() {
      free.end();
      await reading;
    },
  };
}
