import { parentPort, type TransferListItem } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { type FileError, fileError } from '../../../base/file-error.js';
import { Queue } from '../../../base/queue.js';
import { LineBuffer, type TimedLines } from '../../../market/lines/line-buffer.js';
import { exchangeOf } from '../../handover.js';
import { transferables } from '../../threads/transfer.js';
import type { FeedText } from '../feed-text.js';
import { feedLineBuffers, makeFeedLines } from '../make-feed-lines.js';
import type { FeedSource } from '../types.js';

/**
 * To the thread, for each task: its sources; text of one, or its end; lines that were used, whose memory comes back.
 */
export type FeedOrder = { readonly task: number } & (
  | { readonly order: 'open'; readonly sources: readonly FeedSource[] }
  | { readonly order: 'text'; readonly at: number; readonly text: FeedText }
  | { readonly order: 'end'; readonly at: number }
  | { readonly order: 'used'; readonly at: number; readonly lines: TimedLines }
  | { readonly order: 'close' }
);

/** From it, for each source of a task: text that was used, lines, and their end. Errors are plain data on the way. */
export type FeedAnswer = { readonly task: number; readonly at: number } & (
  | { readonly answer: 'used'; readonly text: FeedText }
  | { readonly answer: 'lines'; readonly lines: TimedLines }
  | { readonly answer: 'end' }
  | { readonly answer: 'failed'; readonly error: FileError }
  | { readonly answer: 'bug'; readonly error: unknown }
);

interface Source {
  readonly source: FeedSource;
  readonly texts: Queue<FeedText>;
  readonly empty: Queue<LineBuffer>;
}

const tasks = new Map<number, readonly Source[]>();

parentPort?.on('message', (order: FeedOrder) => {
  if (order.order === 'open') return open(order.task, order.sources);
  const sources = tasks.get(order.task) ?? [];
  if (order.order === 'close') return close(order.task, sources);
  const { texts, empty } = sources[order.at] ?? {};
  if (order.order === 'text') texts?.push(order.text);
  else if (order.order === 'end') texts?.end();
  else empty?.push(new LineBuffer(order.lines));
});

function open(task: number, all: readonly FeedSource[]): void {
  const sources = all.map((source) => ({
    source,
    texts: new Queue<FeedText>(),
    empty: new Queue<LineBuffer>(feedLineBuffers()),
  }));
  tasks.set(task, sources);
  for (const [at, source] of sources.entries()) void run(task, at, source);
}

/** Each source ends at its next step, and nobody hears of it. */
function close(task: number, sources: readonly Source[]): void {
  tasks.delete(task);
  const broken = new Error('nobody reads on');
  for (const { texts, empty } of sources) {
    texts.end(broken);
    empty.end();
  }
}

async function run(task: number, at: number, { source, texts, empty }: Source): Promise<void> {
  const answer = (message: FeedAnswer, transfer: readonly TransferListItem[] = []): void => {
    parentPort?.postMessage(message, transfer);
  };
  const own = { task, at };
  const push = ({ count, bytes, ends, localTimestamps }: LineBuffer): void => {
    const lines = { count, bytes, ends, localTimestamps };
    answer({ ...own, answer: 'lines', lines }, transferables(lines));
  };
  const used = (text: FeedText): void => {
    answer({ ...own, answer: 'used', text }, [text.bytes.buffer as ArrayBuffer]);
  };
  try {
    await makeFeedLines(source, readTexts(texts, used), exchangeOf({ push }, empty));
    answer({ ...own, answer: 'end' });
  } catch (error) {
    if (error instanceof TickhaulError) answer({ ...own, answer: 'failed', error: fileError(error) });
    else answer({ ...own, answer: 'bug', error });
  }
}

async function* readTexts(
  texts: Queue<FeedText>,
  used: (text: FeedText) => void,
): AsyncGenerator<FeedText, void, undefined> {
  for (let text = await texts.next(); text !== undefined; text = await texts.next()) {
    yield text;
    used(text);
  }
}
