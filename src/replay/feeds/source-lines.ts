import { MixedMessage } from '../../dialects/symbol-shares.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { createHandover } from '../handover.js';
import { distributeTexts, type ReadText } from './distribute-texts.js';
import { mergeShares } from './merge-shares.js';
import type { FeedReader } from './threads/feed-thread.js';
import { createFeedLineBuffers } from './write-feed-lines.js';

type Lines = AsyncGenerator<TimedLines, void, undefined>;

/**
 * Reads the lines of a source with one reader. @param bufferBytes initial size of each buffer of text.
 * @throws as `writeFeedLines`; what `read` throws, after all lines.
 */
export async function* readLinesWithOneReader(
  read: ReadText,
  reader: FeedReader,
  bufferBytes: number,
): Lines {
  const texts = distributeTexts(read, [reader], bufferBytes);
  try {
    yield* reader.lines();
    await texts.done();
  } finally {
    await texts.stop();
  }
}

/**
 * Reads the same lines with several readers. If a message does not belong to a single share, one reader
 * starts again from the beginning, and the lines already yielded are skipped.
 * @param read provides text with the share that each line seems to belong to.
 * @param alone the lines as one reader gives them.
 */
export async function* readLinesWithReaders(
  read: ReadText,
  readers: readonly FeedReader[],
  alone: () => AsyncIterable<TimedLines>,
  bufferBytes: number,
): Lines {
  let yielded = 0;
  try {
    for await (const lines of mergeReaderLines(read, readers, bufferBytes)) {
      yielded += lines.count;
      yield lines;
    }
    return;
  } catch (error) {
    if (!(error instanceof MixedMessage)) throw error;
  }
  yield* skipLines(yielded, alone());
}

async function* mergeReaderLines(read: ReadText, readers: readonly FeedReader[], bufferBytes: number): Lines {
  const texts = distributeTexts(read, readers, bufferBytes);
  try {
    yield* createHandover(createFeedLineBuffers(bufferBytes), (swap) =>
      mergeShares(
        readers.map((reader) => reader.lines()),
        swap,
        bufferBytes,
      ),
    );
    await texts.done();
  } finally {
    await texts.stop();
  }
}

/** Yields all lines after the first `count`. */
async function* skipLines(count: number, batches: AsyncIterable<TimedLines>): Lines {
  let left = count;
  for await (const lines of batches) {
    if (left === 0) yield lines;
    else if (left >= lines.count) left -= lines.count;
    else {
      yield dropFirstLines(lines, left);
      left = 0;
    }
  }
}

function dropFirstLines({ count, bytes, ends, localTimestamps }: TimedLines, left: number): TimedLines {
  const from = ends[left - 1] as number;
  return {
    count: count - left,
    bytes: bytes.subarray(from),
    ends: ends.subarray(left).map((end) => end - from),
    localTimestamps: localTimestamps.subarray(left),
  };
}
