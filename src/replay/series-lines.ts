import { orAborted } from '../base/wait.js';
import { toDatasetSymbol } from '../dataset/symbols.js';
import type { GzipReading } from '../integrity/read-gzip.js';
import { readText } from '../integrity/source.js';
import { RowTally } from '../market/day-file/row-tally.js';
import { createTextLines, type LineMemories } from '../market/day-file/text-lines.js';
import { LineBuffer } from '../market/lines/line-buffer.js';
import type { Files } from '../store/files.js';
import type { Exchange } from './handover.js';
import { createPeriodEnd } from './period-end.js';
import { type OpenFiles, readInTurns } from './read-in-turns.js';
import type { Arrival, ReplaySeries } from './types.js';

/**
 * Lines have two to three times the bytes of their rows, which buffers have room for at once: growing leaves holes in
 * the heap. Memory past `MOST_LINES` times is for few.
 */
const USUAL_LINES = 4;
const MOST_LINES = 8;
const US_A_DAY = 86_400_000_000;

/** What series that are read together share. */
export interface SharedReading extends GzipReading {
  readonly memories: LineMemories;
  readonly arrival: Arrival;
  /** Is told of rows that do not belong in their file. */
  readonly warn: (message: string) => void;
}

export function shareReading(
  shared: Omit<SharedReading, 'read'> & { readonly open: OpenFiles; readonly files: Files },
): SharedReading {
  return { ...shared, read: readInTurns(shared.open, shared.textChunk, shared.files) };
}

/** The buffers of one series: while one is read, the other is filled. */
export function lineBuffers(textChunk: number): LineBuffer[] {
  const bytes = USUAL_LINES * textChunk;
  return [new LineBuffer(bytes), new LineBuffer(bytes)];
}

/** Ends the reading of a file of which no more is wanted. */
class Enough extends Error {}

/**
 * The lines of a series, buffer by buffer. A day file is opened once the lines before it are made, and it is there: where
 * it is waited for, an empty buffer says from when on it can have lines. Books and bars go on from one day file to the
 * next, as in one stream. No more is read than up to the period's end: what is wrong with a file behind it isn't noticed.
 * @throws TickhaulError what reading and parsing throw: `corrupt`, also for a file of another day or symbol, behind its
 * lines; `unreadable`; what `exchange` throws, and an arrival.
 */
export async function makeLines(
  series: ReplaySeries,
  reading: SharedReading,
  exchange: Exchange<LineBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const { textChunk, memories, arrival, warn } = reading;
  const { period, symbol } = series;
  let out = await exchange(undefined);
  const handOver = async (least: number): Promise<void> => {
    if (out.length < least) return;
    out = await exchange(out);
    out.clear();
    out.shrink(MOST_LINES * textChunk);
  };
  const lines = createTextLines({ ...series, isWanted: wantedBy(series) }, memories);
  for (const { path, day, isComing } of series.files) {
    if (isComing) {
      // Days are cut by local time (interface page, Dataset file), and all lines before this one are given.
      out.notBefore = day * US_A_DAY;
      await handOver(0);
      if (!(await orAborted(arrival(path), signal))) continue;
    }
    const tally = new RowTally({ path, day, symbol });
    lines.open(tally);
    const endIn = createPeriodEnd({ start: period.end, end: tally.period.end });
    let isPast = false;
    const onText = async (text: Buffer): Promise<void> => {
      const end = endIn(text);
      lines.push(text.subarray(0, end), out);
      await handOver(textChunk);
      isPast = end !== undefined;
      if (isPast) throw new Enough();
    };
    try {
      await readText(path, { onBytes: () => {}, onText }, signal, reading);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
    lines.end(out);
    await handOver(1);
    const finding = tally.finding();
    if (finding !== undefined) warn(finding);
    if (isPast) return;
  }
}

function wantedBy({ symbols }: ReplaySeries): ((symbol: string) => boolean) | undefined {
  return symbols && ((symbol) => symbols.has(toDatasetSymbol(symbol)));
}
