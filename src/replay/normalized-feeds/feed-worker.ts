import { serveTasks } from '../../base/serve-tasks.js';
import { AsyncQueue } from '../../base/wait.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { createLineSwap, type LinesEvent, type UsedLines } from '../line-jobs.js';
import type { FeedSource } from './open-feed-sources.js';
import type { FeedText } from './read-feeds.js';
import { createFeedLineBuffers, writeFeedLines } from './write-feed-lines.js';

/** A job: one source. */
export interface FeedTask {
  readonly source: FeedSource;
  /** Approximate size of one handed-over buffer of lines. */
  readonly bufferBytes: number;
}

/** More text; undefined at its end. */
export interface FeedMessage {
  readonly text: FeedText | undefined;
}

/** The oldest text in use is no longer needed; a warning. */
export type FeedJobEvent = { readonly isTextUsed: true } | { readonly warning: string };

serveTasks<FeedTask, void, FeedJobEvent | LinesEvent, FeedMessage | UsedLines>(
  async ({ source, bufferBytes }, { emit, messages }) => {
    const texts = new AsyncQueue<FeedText>();
    const used = new AsyncQueue<TimedLines>();
    const distribute = async (): Promise<void> => {
      for (let message = await messages.next(); message; message = await messages.next()) {
        if ('used' in message) used.push(message.used);
        else if (message.text) texts.push(message.text);
        else texts.end();
      }
      // The main thread no longer reads.
      texts.end();
      used.end();
    };
    void distribute();
    const onUsed = (): void => emit({ isTextUsed: true });
    const warn = (warning: string): void => emit({ warning });
    const swap = createLineSwap(createFeedLineBuffers(bufferBytes), () => used.next(), emit);
    await writeFeedLines(source, readTexts(texts, onUsed), swap, bufferBytes, warn);
  },
);

async function* readTexts(
  texts: AsyncQueue<FeedText>,
  onUsed: () => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    onUsed();
  }
}
