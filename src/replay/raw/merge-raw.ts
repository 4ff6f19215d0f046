import { setMaxListeners } from 'node:events';
import type { RawBatch } from '../../feeds/read/raw-batch.js';
import type { FeedPart } from '../../feeds/read/slices-ahead.js';
import type { FeedRun } from '../../feeds/types.js';
import { fillOrFlush } from '../fill-or-flush.js';
import { createPace } from '../pace.js';
import { Breaks } from './breaks.js';
import { mergeParts } from './merge-parts.js';

/** Takes lines of the raw data API, and makes something of them that can be written. */
export interface RawSink {
  /** Lines `start` up to, not including, `end` of a batch. @param part the number of the part that they come from. */
  add(batch: RawBatch, start: number, end: number, part: number): Promise<void>;
  /** The collector's connection broke. */
  addBreak(): Promise<void>;
  /** Nothing comes for a while, or no more: what is gathered goes out. */
  flush(): Promise<void>;
}

export interface RawMergeInput {
  readonly run: FeedRun;
  /** Of one feed or several; ties go to the first. */
  readonly parts: readonly FeedPart[];
  /** Of each part, aborted once nobody wants its lines any more: it ends there, and the others go on. */
  readonly gone?: readonly AbortSignal[] | undefined;
  /** Whether breaks of the collector's connection are told; of one feed only. */
  readonly withDisconnects: boolean;
  /** How often faster than real time; undefined for as fast as it goes. */
  readonly speed?: number | undefined;
  readonly lines: RawSink;
  /** Told how many minutes were read, of all parts. */
  readonly onMinutes: (minutes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Merges exchanges' own messages by local timestamp, to a tenth of a microsecond.
 * @throws TickhaulError once all lines before are written: what a slice can't be had for, `corrupt`; the reason of an
 * abort; what the sink throws.
 */
export async function mergeRaw(input: RawMergeInput): Promise<void> {
  const { run, parts, gone, withDisconnects, speed, lines, onMinutes, signal } = input;
  setMaxListeners(0, signal);
  const left = new AbortController();
  const merge = mergeParts(run, parts, onMinutes, left.signal, gone);
  const breaks = new Breaks(parts.length);
  // A break belongs to the time of the line before it: one before the first line isn't of this period.
  let hasLines = false;
  const pace = speed === undefined ? undefined : createPace(speed, () => lines.flush(), signal);

  /** Lines up to the next break are added in one go, where nothing has to wait. */
  const add = async (batch: RawBatch, start: number, end: number, from: number): Promise<void> => {
    for (let at = start; at < end; ) {
      if (batch.isBreak(at)) {
        const isNew = breaks.isNew(from, batch.starts[at] as number);
        if (isNew && hasLines && withDisconnects) await lines.addBreak();
        at++;
        continue;
      }
      let until = at + 1;
      if (!pace) while (until < end && !batch.isBreak(until)) until++;
      await pace?.(batch.localTimestamps[at] as number);
      await lines.add(batch, at, until, from);
      breaks.sawLine(from);
      hasLines = true;
      at = until;
    }
  };
  try {
    while (await fillOrFlush(merge, () => lines.flush())) {
      while (merge.next()) await add(merge.batch, merge.start, merge.end, merge.input);
      signal.throwIfAborted();
    }
  } finally {
    // What is right before a failure is written before it is told.
    await lines.flush().finally(() => {
      left.abort();
      return merge.close();
    });
  }
}
