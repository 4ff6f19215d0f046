import { MixedMessage } from '../../dialects/symbol-shares.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { createHandover } from '../handover.js';
import { distributeTexts, type ReadText } from './distribute-texts.js';
import { mergeShares } from './merge-shares.js';
import type { FeedReader } from './threads/feed-thread.js';
import { createFeedLineBuffers } from './write-feed-lines.js';

type Lines = AsyncGenerator<TimedLines, void, undefined>;

/** The lines of a source, which one reader makes. @param bufferBytes of each buffer. @throws as `writeFeedLines`; what `read` throws, behind all lines. */
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
 * The same lines, which several readers make. Where a message is not of one share they are made again from the start by
 * one reader, and those that were given already are left out.
 * @param read tells whose each line seems to be.
 * @param alone the lines as one reader makes them.
 */
export async function* readLinesWithReaders(
  read: ReadText,
  readers: readonly FeedReader[],
  alone: () => AsyncIterable<TimedLines>,
  bufferBytes: number,
): Lines {
  let given = 0;
  try {
    for await (const lines of mergedLines(read, readers, bufferBytes)) {
      given += lines.count;
      yield lines;
    }
    return;
  } catch (error) {
    if (!(error instanceof MixedMessage)) throw error;
  }
  yield* skipLines(given, alone());
}

async function* mergedLines(read: ReadText, readers: readonly FeedReader[], bufferBytes: number): Lines {
  const texts = distributeTexts(read, readers, bufferBytes);
  try {
    yield* createHandover(createFeedLineBuffers(bufferBytes), (exchange) =>
      mergeShares(
        readers.map((reader) => reader.lines()),
        exchange,
        bufferBytes,
      ),
    );
    await texts.done();
  } finally {
    await texts.stop();
  }
}

/** The lines behind so many. */
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
