import { parentPort, type TransferListItem } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { type FileError, fileError } from '../../../base/file-error.js';
import { Queue } from '../../../base/queue.js';
import { LineBuffer, type TimedLines } from '../../../market/lines/line-buffer.js';
import { exchangeOf } from '../../handover.js';
import type { Job } from '../../threads/threads.js';
import { transferables } from '../../threads/transfer.js';
import type { FeedText } from '../feed-text.js';
import { feedLineBuffers, makeFeedLines } from '../make-feed-lines.js';
import type { FeedSource } from '../types.js';

/** To the thread of some sources: text of one, or its end; lines that were used, whose memory comes back. */
export type FeedOrder =
  | { readonly order: 'text'; readonly at: number; readonly text: FeedText }
  | { readonly order: 'end'; readonly at: number }
  | { readonly order: 'used'; readonly at: number; readonly lines: TimedLines };

/** From it, for each source: text that was used, lines, and their end. Errors are plain data on the way. */
export type FeedAnswer =
  | { readonly answer: 'used'; readonly at: number; readonly text: FeedText }
  | { readonly answer: 'lines'; readonly at: number; readonly lines: TimedLines }
  | { readonly answer: 'end'; readonly at: number }
  | { readonly answer: 'failed'; readonly at: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly at: number; readonly error: unknown };

parentPort?.on('message', begin);

function begin({ task, port }: Job<readonly FeedSource[]>): void {
  const sources = task.map((source) => ({
    source,
    texts: new Queue<FeedText>(),
    empty: new Queue<LineBuffer>(feedLineBuffers()),
  }));
  const answer = (message: FeedAnswer, transfer: readonly TransferListItem[] = []): void => {
    port.postMessage(message, transfer);
  };
  const run = async (at: number, { source, texts, empty }: (typeof sources)[number]): Promise<void> => {
    const push = ({ count, bytes, ends, localTimestamps }: LineBuffer): void => {
      const lines = { count, bytes, ends, localTimestamps };
      answer({ answer: 'lines', at, lines }, transferables(lines));
    };
    const onUsed = (text: FeedText): void => {
      answer({ answer: 'used', at, text }, [text.bytes.buffer as ArrayBuffer]);
    };
    try {
      await makeFeedLines(source, readTexts(texts, onUsed), exchangeOf({ push }, empty));
      answer({ answer: 'end', at });
    } catch (error) {
      if (error instanceof TickhaulError) answer({ answer: 'failed', at, error: fileError(error) });
      else answer({ answer: 'bug', at, error });
    }
  };
  port.on('message', (order: FeedOrder) => {
    const { texts, empty } = sources[order.at] ?? {};
    if (order.order === 'text') texts?.push(order.text);
    else if (order.order === 'end') texts?.end();
    else empty?.push(new LineBuffer(order.lines));
  });
  // Nobody reads on.
  port.on('close', () => {
    for (const { texts, empty } of sources) {
      texts.end();
      empty.end();
    }
  });
  for (const [at, source] of sources.entries()) void run(at, source);
}

async function* readTexts(
  texts: Queue<FeedText>,
  onUsed: (text: FeedText) => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    onUsed(text);
  }
}
