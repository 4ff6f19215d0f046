import { setMaxListeners } from 'node:events';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatMinute, type Minute, type MinuteRange } from '../../dataset/minute.js';
import type { FeedRun } from '../feed-run.js';
import type { SliceText } from '../unpack/unpack-slice.js';
import { LineIndexer, type RawBatch, type SlicePart } from './raw-batch.js';
import { type FeedPart, type OpenSlice, SlicePrefetcher } from './slice-prefetcher.js';
import { WholeLineSplitter } from './whole-line-splitter.js';

/** Takes a full batch, and gives an empty one; undefined for the first. It may be slow: nothing is read meanwhile. */
export type SwapBatch = (full: RawBatch | undefined) => Promise<RawBatch>;

/**
 * Reads the lines of a part in order. The next slice is decompressed while the lines of one are used.
 * @param onMinutes told how many minutes were read, slice by slice.
 * @param base what local timestamps of lines count from: the part's start, unless several are merged.
 * @throws TickhaulError once all lines before were given: what a slice can't be had for, `createCorruptError`; the reason of an
 * abort.
 */
export async function readFeedPart(
  run: FeedRun,
  part: FeedPart,
  exchange: SwapBatch,
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
  base = part.range.start,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, stopped, ended.signal]);
  // Each request under way listens to it, and that is no leak.
  setMaxListeners(0, signal);
  const slices = new SlicePrefetcher(run, part, signal);
  const whole = new WholeLineSplitter(run.bufferBytes);
  const lines = new LineIndexer(base);
  let batch = await exchange(undefined);
  batch.clear();
  const handOver = async (): Promise<void> => {
    if (batch.count === 0) return;
    batch = await exchange(batch);
    batch.clear();
    if (signal.aborted) throw abortReason(signal);
  };
  const readSlice = async ({ text, wanted, has, done }: OpenSlice): Promise<void> => {
    lines.startSlice(partOf(text, wanted, has, part));
    await text.read(async (chunk) => {
      for (const piece of whole.of(chunk)) {
        try {
          lines.cut(piece, batch);
        } catch (error) {
          throw withExchangeAndTime(error, part, wanted);
        } finally {
          await handOver();
        }
      }
    });
    done();
    lines.endSlice();
    onMinutes(wanted.end - wanted.start);
  };
  try {
    for (let opening = slices.next(); ; ) {
      const open = await opening;
      if (!open) break;
      // Where there is no room for the text of one slice, there is none for the next beside it.
      const isAhead = open.text.isKept;
      if (isAhead) opening = slices.next();
      // It is thrown in its turn.
      opening.catch(() => {});
      await readSlice(open);
      if (!isAhead) opening = slices.next();
    }
    lines.end(batch);
    await handOver();
  } finally {
    slices.close();
    ended.abort();
  }
}

/** What is wanted of a slice. @returns undefined for all of it. */
function partOf(
  text: SliceText,
  wanted: MinuteRange,
  has: MinuteRange,
  { range }: FeedPart,
): SlicePart | undefined {
  if (wanted.start <= has.start && wanted.end >= has.end) return undefined;
  const startsEarly = has.start < range.start;
  const ends = text.ends();
  // Answers of several minutes have a member or frame for each, but not all of them do.
  if (ends.length !== has.end - has.start) return { minutes: wanted, text: undefined, startsEarly };
  const endOf = (minute: Minute): number => ends[minute - has.start - 1] ?? 0;
  return { minutes: wanted, text: { start: endOf(wanted.start), end: endOf(wanted.end) }, startsEarly };
}

function withExchangeAndTime(error: unknown, { exchange }: FeedPart, { start }: MinuteRange): unknown {
  if (!(error instanceof TickhaulError)) return error;
  return new TickhaulError(error.code, `${exchange} ${formatMinute(start)}: ${error.message}`, {
    cause: error,
  });
}
