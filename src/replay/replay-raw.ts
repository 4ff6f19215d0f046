import { setMaxListeners } from 'node:events';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import { TimeMerge } from '../market/time-merge.js';
import type { FeedReadContext } from '../raw-feeds/feed-read-context.js';
import type { OpenedFeed } from '../raw-feeds/open-feed.js';
import { RawBatch } from '../raw-feeds/raw-batch.js';
import { readFeedPart } from '../raw-feeds/read-feed-part.js';
import type { FeedPart } from '../raw-feeds/slice-prefetcher.js';
import { createHandover } from './line-jobs.js';
import { createPace, fillOrFlush } from './line-writer.js';
import { RawLineWriter, type RawSink } from './raw-line-writer.js';

interface RawReplayInput extends Omit<RawMergeInput, 'parts' | 'lines'> {
  readonly feed: OpenedFeed;
  readonly output: LineSink;
  readonly written: WrittenCounts;
}

/**
 * Writes an exchange's own messages in the order of their receipt, and an empty line for each disconnect if
 * requested.
 * @throws TickhaulError as `mergeRaw`.
 */
export function replayRaw({ feed, output, written, ...input }: RawReplayInput): Promise<void> {
  const lines = new RawLineWriter(output, written, input.run.writeBytes);
  return mergeRaw({ ...input, parts: feed.parts, lines });
}

interface RawMergeInput {
  readonly run: FeedReadContext;
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

/**
 * Merges the lines of parts by local timestamp, to 100 ns; ties go to the first part.
 * @param onMinutes called with the number of minutes read, of all parts.
 * @param stopped ends all reading.
 * @param partSignals one signal for each part, which ends only that part.
 */
export function mergeParts(
  run: FeedReadContext,
  parts: readonly FeedPart[],
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
  partSignals: readonly AbortSignal[] = [],
): TimeMerge<RawBatch> {
  const base = Math.min(...parts.map(({ range }) => range.start));
  return new TimeMerge(
    parts.map((part, index) =>
      createHandover([new RawBatch(), new RawBatch()], async (swap) => {
        const partSignal = partSignals[index];
        const anyOf = partSignal ? AbortSignal.any([stopped, partSignal]) : stopped;
        await readFeedPart(run, part, swap, onMinutes, anyOf, base).catch((error: unknown) => {
          if (!partSignal?.aborted) throw error;
        });
      }),
    ),
  );
}

/**
 * Deduplicates disconnects. If one feed is requested in several parts, each part marks every disconnect of a
 * shared connection. A disconnect is new if its input gave a line since the last new one, or has more
 * disconnects than any other input.
 */
export class DisconnectCounter {
  readonly #hasLines: boolean[];
  /** Empty lines of each input, and below the largest number that was counted. */
  readonly #seen: number[];
  #counted = 0;

  constructor(inputs: number) {
    this.#hasLines = Array.from({ length: inputs }, () => false);
    this.#seen = Array.from({ length: inputs }, () => 0);
  }

  onLine(input: number): void {
    this.#hasLines[input] = true;
  }

  /** Whether an input's disconnect is new. @param count number of consecutive empty lines. */
  isNew(input: number, count: number): boolean {
    const seen = (this.#seen[input] ?? 0) + count;
    this.#seen[input] = seen;
    if (!this.#hasLines[input] && seen <= this.#counted) return false;
    this.#counted = Math.max(this.#counted, seen);
    this.#hasLines.fill(false);
    return true;
  }
}
