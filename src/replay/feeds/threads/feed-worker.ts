import { once } from 'node:events';
import { AsyncQueue } from '../../../base/async-queue.js';
import { serveJobs } from '../../../base/serve-jobs.js';
import { LineBuffer } from '../../../market/lines/line-buffer.js';
import type { PortJob } from '../../threads/line-thread.js';
import { type LinesMessage, sendLines, type UsedLines } from '../../threads/send-lines.js';
import type { FeedSource } from '../feed-source.js';
import type { FeedText } from '../feed-text.js';
import { createFeedLineBuffers, writeFeedLines } from '../write-feed-lines.js';

/** One input of a job. */
export interface FeedTask {
  readonly source: FeedSource;
  /** Approximate size of one handed-over buffer of lines. */
  readonly bufferBytes: number;
}

/** Messages to the thread: text of an input, the end of its text, lines to reuse. */
export type FeedCommand =
  | { readonly type: 'text'; readonly input: number; readonly text: FeedText }
  | { readonly type: 'end'; readonly input: number }
  | UsedLines;

/** Messages from the thread: lines of an input, a text that was used, a warning. */
export type FeedThreadMessage =
  | LinesMessage
  | { readonly type: 'used'; readonly input: number }
  | { readonly type: 'warning'; readonly message: string };

serveJobs(async ({ task: tasks, port }: PortJob<readonly FeedTask[]>): Promise<void> => {
  const inputs = tasks.map((task) => ({
    ...task,
    texts: new AsyncQueue<FeedText>(),
    free: new AsyncQueue<LineBuffer>(createFeedLineBuffers(task.bufferBytes)),
  }));
  const send = (message: FeedThreadMessage): void => port.postMessage(message);
  port.on('message', (command: FeedCommand) => {
    const { texts, free } = inputs[command.input] ?? {};
    if (command.type === 'text') texts?.push(command.text);
    else if (command.type === 'end') texts?.end();
    else free?.push(new LineBuffer(command.lines));
  });
  const warn = (message: string): void => send({ type: 'warning', message });
  for (const [input, { source, bufferBytes, texts, free }] of inputs.entries()) {
    const onUsed = (): void => send({ type: 'used', input });
    void sendLines({
      port,
      input,
      free,
      write: (swap) => writeFeedLines(source, readTexts(texts, onUsed), swap, bufferBytes, warn),
    });
  }
  // The main thread no longer reads.
  await once(port, 'close');
  for (const { texts, free } of inputs) {
    texts.end();
    free.end();
  }
});

async function* readTexts(
  texts: AsyncQueue<FeedText>,
  onUsed: () => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    onUsed();
  }
}
