import { setMaxListeners } from 'node:events';
import type { FeedRun } from '../../feeds/feed-run.js';
import type { RawBatch } from '../../feeds/read/raw-batch.js';
import type { FeedPart } from '../../feeds/read/slice-prefetcher.js';
import { fillOrFlush } from '../fill-or-flush.js';
import { createPace } from '../pace.js';
import { DisconnectCounter } from './disconnect-counter.js';
import { mergeParts } from './merge-parts.js';

/** Formats and writes lines of the raw feeds API. */
export interface RawSink {
  /**
   * Adds lines `start` (inclusive) to `end` (exclusive) of a batch. @param part index of the part with these
   * lines.
   */
  add(batch: RawBatch, start: number, end: number, part: number): Promise<void>;
  /** Adds a disconnect of the collector. */
  addDisconnect(): Promise<void>;
  /** Writes what is collected so far: no lines follow for a while, or at all. */
  flush(): Promise<void>;
}

export interface RawMergeInput {
  readonly run: FeedRun;
  /** Parts of one or more feeds; ties go to the first. */
  readonly parts: readonly FeedPart[];
  /** One signal for each part; aborting it ends that part while the others continue. */
  readonly partSignals?: readonly AbortSignal[] | undefined;
  /** Whether disconnects of the collector are output; only for a single feed. */
  readonly withDisconnects: boolean;
  /** Multiple of real time; undefined for no pacing. */
  readonly speed?: number | undefined;
  readonly lines: RawSink;
  /** Called with the number of minutes read, of all parts. */
  readonly onMinutes: (minutes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Merges exchanges' own messages by local timestamp, to 100 ns.
 * @throws TickhaulError after all earlier lines are written: `corrupt`, or the reason why a slice is
 * unavailable; the signal's reason after an abort; what the sink throws.
 */
export async function mergeRaw(input: RawMergeInput): Promise<void> {
  const { run, parts, partSignals, withDisconnects, speed, lines, onMinutes, signal } = input;
  setMaxListeners(0, signal);
  const stopped = new AbortController();
  const merge = mergeParts(run, parts, onMinutes, stopped.signal, partSignals);
  const disconnects = new DisconnectCounter(parts.length);
  // A disconnect has the time of the line before it, so one before the first line is not in this period.
  let hasLines = false;
  const pace = speed === undefined ? undefined : createPace(speed, () => lines.flush(), signal);

  /** Without pacing, adds all lines up to the next disconnect at once. */
  const add = async (batch: RawBatch, start: number, end: number, from: number): Promise<void> => {
    for (let at = start; at < end; ) {
      if (batch.isDisconnect(at)) {
        const isNew = disconnects.isNew(from, batch.starts[at] as number);
        if (isNew && hasLines && withDisconnects) await lines.addDisconnect();
        at++;
        continue;
      }
      let until = at + 1;
      if (!pace) while (until < end && !batch.isDisconnect(until)) until++;
      await pace?.(batch.localTimestamps[at] as number);
      await lines.add(batch, at, until, from);
      disconnects.onLine(from);
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
    // Valid lines before a failure are written before the failure is reported.
    await lines.flush().finally(() => {
      stopped.abort();
      return merge.close();
    });
  }
}
