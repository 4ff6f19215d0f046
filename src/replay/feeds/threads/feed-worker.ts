import { parentPort } from 'node:worker_threads';
import { AsyncQueue } from '../../../base/async-queue.js';
import { MixedMessage, SymbolShares } from '../../../dialects/symbol-shares.js';
import { LineBuffer } from '../../../market/lines/line-buffer.js';
import type { SwapBuffer } from '../../handover.js';
import { type LinesMessage, sendLines, type UsedLines } from '../../threads/send-lines.js';
import type { ThreadJob } from '../../threads/thread-pool.js';
import type { FeedSource } from '../feed-source.js';
import type { FeedText } from '../feed-text.js';
import { type ShareIndex, ShareTracker } from '../share-tracker.js';
import { createFeedLineBuffers, writeFeedLines } from '../write-feed-lines.js';

/** An input of a thread: a source, or a share of one. */
export interface FeedTask {
  readonly source: FeedSource;
  readonly share?: ShareIndex | undefined;
  /** Of lines that go from hand to hand at once, about. */
  readonly bufferBytes: number;
}

/** To the thread: text of an input, or its end; lines that were used. */
export type FeedCommand =
  | { readonly order: 'text'; readonly at: number; readonly text: FeedText }
  | { readonly order: 'end'; readonly at: number }
  | UsedLines;

/** From it: what was made of text; that a text was used; that a message is not of one share. */
export type FeedThreadMessage =
  | LinesMessage
  | { readonly answer: 'used'; readonly at: number }
  | { readonly answer: 'mixed'; readonly at: number };

parentPort?.on('message', begin);

function begin({ task: tasks, port }: ThreadJob<readonly FeedTask[]>): void {
  const inputs = tasks.map((task) => ({
    ...task,
    texts: new AsyncQueue<FeedText>(),
    free: new AsyncQueue<LineBuffer>(createFeedLineBuffers(task.bufferBytes)),
  }));
  const answer = (message: FeedThreadMessage): void => port.postMessage(message);
  port.on('message', (order: FeedCommand) => {
    const { texts, free } = inputs[order.at] ?? {};
    if (order.order === 'text') texts?.push(order.text);
    else if (order.order === 'end') texts?.end();
    else free?.push(new LineBuffer(order.lines));
  });
  // Nobody reads on.
  port.on('close', () => {
    for (const { texts, free } of inputs) {
      texts.end();
      free.end();
    }
  });
  for (const [at, { source, share: of, bufferBytes, texts, free }] of inputs.entries()) {
    const share =
      of && new ShareTracker(of.index, new SymbolShares(source.exchange, source.symbols, of.count));
    const onUsed = (): void => answer({ answer: 'used', at });
    const make = async (exchange: SwapBuffer<LineBuffer>): Promise<void> => {
      try {
        await writeFeedLines(source, readTexts(texts, onUsed), exchange, bufferBytes, share);
      } catch (error) {
        if (!(error instanceof MixedMessage)) throw error;
        answer({ answer: 'mixed', at });
      }
    };
    void sendLines({ port, at, free, make, placesOf: share && ((lines) => share.placesOf(lines)) });
  }
}

async function* readTexts(
  texts: AsyncQueue<FeedText>,
  onUsed: () => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    onUsed();
  }
}
