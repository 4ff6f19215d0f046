import { parentPort, type TransferListItem, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { type FileError, fileError } from '../../../base/file-error.js';
import { Queue } from '../../../base/queue.js';
import { LineBuffer, type TimedLines } from '../../../market/lines/line-buffer.js';
import { exchangeOf } from '../../handover.js';
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

const sources = (workerData as readonly FeedSource[]).map((source) => ({
  source,
  texts: new Queue<FeedText>(),
  empty: new Queue<LineBuffer>(feedLineBuffers()),
}));

parentPort?.on('message', (order: FeedOrder) => {
  const { texts, empty } = sources[order.at] ?? {};
  if (order.order === 'text') texts?.push(order.text);
  else if (order.order === 'end') texts?.end();
  else empty?.push(new LineBuffer(order.lines));
});
for (const at of sources.keys()) void run(at);

async function run(at: number): Promise<void> {
  const { source, texts, empty } = sources[at] as (typeof sources)[number];
  try {
    const full = { push: (lines: LineBuffer) => give(at, lines) };
    await makeFeedLines(source, readTexts(at, texts), exchangeOf(full, empty));
    answer({ answer: 'end', at });
  } catch (error) {
    if (error instanceof TickhaulError) answer({ answer: 'failed', at, error: fileError(error) });
    else answer({ answer: 'bug', at, error });
  }
}

async function* readTexts(at: number, texts: Queue<FeedText>): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    answer({ answer: 'used', at, text }, [text.bytes.buffer as ArrayBuffer]);
  }
}

function give(at: number, { count, bytes, ends, localTimestamps }: LineBuffer): void {
  const lines = { count, bytes, ends, localTimestamps };
  answer({ answer: 'lines', at, lines }, transferables(lines));
}

function answer(message: FeedAnswer, transfer: readonly TransferListItem[] = []): void {
  parentPort?.postMessage(message, transfer);
}
