import { setMaxListeners } from 'node:events';
import type { Feed } from '../../feeds/open.js';
import { RawBatch } from '../../feeds/read/raw-batch.js';
import { readPart } from '../../feeds/read/read-part.js';
import type { FeedRun } from '../../feeds/types.js';
import { Merge } from '../../market/merge.js';
import { createHandover } from '../handover.js';
import { type LineSink, LineWriter, type Written } from '../line-writer.js';
import { createPace } from '../pace.js';
import { Breaks } from './breaks.js';
import { RawLines } from './raw-lines.js';

export interface RawReplayInput {
  readonly run: FeedRun;
  readonly feed: Feed;
  /** Whether breaks of the collector's connection are empty lines. */
  readonly withDisconnects: boolean;
  /** How often faster than real time; undefined for as fast as it goes. */
  readonly speed?: number | undefined;
  readonly output: LineSink;
  readonly written: Written;
  /** Told how many minutes were read, of all parts. */
  readonly onMinutes: (minutes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes an exchange's own messages, in the order in which they were received.
 * @throws TickhaulError once all lines before are written: what a slice can't be had for, `corrupt`; the reason of an
 * abort; what the output throws.
 */
export async function replayRaw(input: RawReplayInput): Promise<void> {
  const { run, feed, withDisconnects, speed, output, written, onMinutes, signal } = input;
  setMaxListeners(0, signal);
  const left = new AbortController();
  const merge = new Merge(
    feed.parts.map((part) =>
      createHandover([new RawBatch(), new RawBatch()], (exchange) =>
        readPart(run, part, exchange, onMinutes, left.signal),
      ),
    ),
  );
  const breaks = new Breaks(feed.parts.length);
  const writer = new LineWriter(output, written);
  const lines = new RawLines(writer);
  const pace = speed === undefined ? undefined : createPace(speed, () => writer.flush(), signal);

  /** Lines up to the next break are added in one go, where nothing has to wait. */
  const add = async (batch: RawBatch, start: number, end: number, from: number): Promise<void> => {
    for (let at = start; at < end; ) {
      if (batch.starts[at] === batch.ends[at]) {
        if (breaks.isNew(from, batch.starts[at] as number) && withDisconnects) await lines.addBreak();
        at++;
        continue;
      }
      let until = at + 1;
      if (!pace) while (until < end && batch.starts[until] !== batch.ends[until]) until++;
      await pace?.(batch.localTimestamps[at] as number);
      await lines.add(batch, at, until);
      breaks.sawLine(from);
      at = until;
    }
  };
  try {
    while (await merge.fill()) {
      while (merge.next()) await add(merge.batch, merge.start, merge.end, merge.input);
      signal.throwIfAborted();
    }
  } finally {
    // What is right before a failure is written before it is told.
    await writer.flush().finally(() => {
      left.abort();
      return merge.close();
    });
  }
}
