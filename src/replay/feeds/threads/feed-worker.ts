import { parentPort } from 'node:worker_threads';
import { Queue } from '../../../base/queue.js';
import { MixedMessage, SymbolShares } from '../../../dialects/symbol-shares.js';
import { LineBuffer } from '../../../market/lines/line-buffer.js';
import type { Exchange } from '../../handover.js';
import { giveLines, type LinesAnswer, type UsedLines } from '../../threads/give-lines.js';
import type { Job } from '../../threads/threads.js';
import type { FeedText } from '../feed-text.js';
import { feedLineBuffers, makeFeedLines } from '../make-feed-lines.js';
import { Share, type ShareOf } from '../share.js';
import type { FeedSource } from '../types.js';

/** An input of a thread: a source, or a share of one. */
export interface FeedTask {
  readonly source: FeedSource;
  readonly share?: ShareOf | undefined;
  /** Of lines that go from hand to hand at once, about. */
  readonly bufferBytes: number;
}

/** To the thread: text of an input, or its end; lines that were used. */
export type FeedOrder =
  | { readonly order: 'text'; readonly at: number; readonly text: FeedText }
  | { readonly order: 'end'; readonly at: number }
  | UsedLines;

/** From it: what was made of text; that a text was used; that a message is not of one share. */
export type FeedAnswer =
  | LinesAnswer
  | { readonly answer: 'used'; readonly at: number }
  | { readonly answer: 'mixed'; readonly at: number };

parentPort?.on('message', begin);

function begin({ task: tasks, port }: Job<readonly FeedTask[]>): void {
  const inputs = tasks.map((task) => ({
    ...task,
    texts: new Queue<FeedText>(),
    free: new Queue<LineBuffer>(feedLineBuffers(task.bufferBytes)),
  }));
  const answer = (message: FeedAnswer): void => port.postMessage(message);
  port.on('message', (order: FeedOrder) => {
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
    const share = of && new Share(of.index, new SymbolShares(source.exchange, source.symbols, of.count));
    const onUsed = (): void => answer({ answer: 'used', at });
    const make = async (exchange: Exchange<LineBuffer>): Promise<void> => {
      try {
        await makeFeedLines(source, readTexts(texts, onUsed), exchange, bufferBytes, share);
      } catch (error) {
        if (!(error instanceof MixedMessage)) throw error;
        answer({ answer: 'mixed', at });
      }
    };
    void giveLines({ port, at, free, make, placesOf: share && ((lines) => share.placesOf(lines)) });
  }
}

async function* readTexts(
  texts: Queue<FeedText>,
  onUsed: () => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    onUsed();
  }
}
