import { setMaxListeners } from 'node:events';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatMinute, type MinuteRange } from '../../dataset/minutes.js';
import type { FeedRun } from '../types.js';
import { LineCutter, type RawBatch } from './raw-batch.js';
import { type FeedPart, type OpenSlice, SlicesAhead } from './slices-ahead.js';
import { WholeLines } from './whole-lines.js';

/** Takes a full batch, and gives an empty one; undefined for the first. It may be slow: nothing is read meanwhile. */
export type ExchangeBatch = (full: RawBatch | undefined) => Promise<RawBatch>;

/**
 * Reads the lines of a part in order. The next slice is decompressed while the lines of one are used.
 * @param onMinutes told how many minutes were read, slice by slice.
 * @param base what local timestamps of lines count from: the part's start, unless several are merged.
 * @throws TickhaulError once all lines before were given: what a slice can't be had for, `corrupt`; the reason of an
 * abort.
 */
export async function readPart(
  run: FeedRun,
  part: FeedPart,
  exchange: ExchangeBatch,
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
  base = part.range.start,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, stopped, ended.signal]);
  // Each request under way listens to it, and that is no leak.
  setMaxListeners(0, signal);
  const slices = new SlicesAhead(run, part, signal);
  const whole = new WholeLines(run.bufferBytes);
  const lines = new LineCutter(base);
  let batch = await exchange(undefined);
  batch.clear();
  const handOver = async (): Promise<void> => {
    if (batch.count === 0) return;
    batch = await exchange(batch);
    batch.clear();
    if (signal.aborted) throw abortReason(signal);
  };
  const readSlice = async ({ text, wanted, has, done }: OpenSlice): Promise<void> => {
    const isAll = wanted.start <= has.start && wanted.end >= has.end;
    await text.read(async (chunk) => {
      for (const piece of whole.of(chunk)) {
        try {
          lines.cut(piece, isAll ? undefined : wanted, batch);
        } catch (error) {
          throw named(error, part, wanted);
        } finally {
          await handOver();
        }
      }
    });
    done();
    lines.endSlice(wanted.end >= has.end);
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

function named(error: unknown, { exchange }: FeedPart, { start }: MinuteRange): unknown {
  if (!(error instanceof TickhaulError)) return error;
  return new TickhaulError(error.code, `${exchange} ${formatMinute(start)}: ${error.message}`, {
    cause: error,
  });
}
