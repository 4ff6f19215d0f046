import { AsyncQueue } from '../../base/async-queue.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';
import { FeedTextBuffer } from './feed-text.js';
import type { FeedReader } from './threads/feed-thread.js';

/** Texts of a source that are on their way, at most. */
const TEXTS_IN_FLIGHT = 3;

/** Gives the text of a source; throws in its turn. */
export type ReadText = (exchange: SwapBuffer<FeedTextBuffer>) => Promise<void>;

/** Text that is on its way. */
export interface TextDistribution {
  /** Resolves once all was given. @throws what reading it threw, once all before was given. */
  done(): Promise<void>;
  /** Ends it, where nobody needs more. */
  stop(): Promise<void>;
}

/** Gives a source's text to readers, each of whom has all of it. It is written over once all have used it. */
export function distributeTexts(
  read: ReadText,
  readers: readonly FeedReader[],
  bufferBytes: number,
): TextDistribution {
  const free = new AsyncQueue(Array.from({ length: TEXTS_IN_FLIGHT }, () => new FeedTextBuffer(bufferBytes)));
  const push = (buffer: FeedTextBuffer): void => {
    const { bytes, length, shares } = buffer;
    let users = readers.length;
    const onUsed = (): void => {
      if (--users === 0) free.push(buffer);
    };
    for (const reader of readers) reader.write({ bytes, length, shares }, onUsed);
  };
  let failed: { readonly error: unknown } | undefined;
  const giving = read(createSwapBuffer({ push }, free))
    .catch((error: unknown) => {
      failed = { error };
    })
    .finally(() => {
      for (const reader of readers) reader.end();
    });
  return {
    async done() {
      await giving;
      if (failed) throw failed.error;
    },
    async stop() {
      free.end();
      await giving;
    },
  };
}
