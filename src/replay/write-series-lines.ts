import { rejectOnAbort } from '../base/wait.js';
import { toDatasetSymbol } from '../dataset/dataset-symbol.js';
import type { GzipReadOptions } from '../integrity/read-gzip.js';
import { readSourceText } from '../integrity/read-source.js';
import { RowTally } from '../market/day-file/row-tally.js';
import { createTextLines, type LineMemories } from '../market/day-file/text-lines.js';
import { LineBuffer } from '../market/lines/line-buffer.js';
import type { Files } from '../store/files.js';
import { createChunkReader, type OpenFileLimit } from './chunk-reader.js';
import type { SwapBuffer } from './handover.js';
import { createPeriodEndFinder } from './period-end-finder.js';
import type { Arrival, ReplaySeries } from './replay-request.js';

/**
 * Lines have two to three times the bytes of their rows, which buffers have room for at once: growing leaves holes in
 * the heap. Memory past `MOST_LINES` times is for few.
 */
const TYPICAL_GROWTH = 4;
const MAX_GROWTH = 8;
const US_PER_DAY = 86_400_000_000;

/** What series that are read together share. */
export interface SharedReading extends GzipReadOptions {
  readonly memories: LineMemories;
  readonly arrival: Arrival;
  /** Is told of rows that do not belong in their file. */
  readonly warn: (message: string) => void;
}

export function createSharedReading(
  shared: Omit<SharedReading, 'read'> & { readonly open: OpenFileLimit; readonly files: Files },
): SharedReading {
  return { ...shared, read: createChunkReader(shared.open, shared.textChunk, shared.files) };
}

/** The buffers of one series: while one is read, the other is filled. */
export function createLineBuffers(textChunk: number): LineBuffer[] {
  const bytes = TYPICAL_GROWTH * textChunk;
  return [new LineBuffer(bytes), new LineBuffer(bytes)];
}

/** Ends the reading of a file of which no more is wanted. */
class StopReading extends Error {}

/**
 * The lines of a series, buffer by buffer. A day file is opened once the lines before it are made, and it is there: where
 * it is waited for, an empty buffer says from when on it can have lines. Books and bars go on from one day file to the
 * next, as in one stream. No more is read than up to the period's end: what is wrong with a file behind it isn't noticed.
 * @throws TickhaulError what reading and parsing throw: `createCorruptError`, also for a file of another day or symbol, behind its
 * lines; `unreadable`; what `sendHttpRequest` throws, and an arrival.
 */
export async function writeSeriesLines(
  series: ReplaySeries,
  reading: SharedReading,
  exchange: SwapBuffer<LineBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const { textChunk, memories, arrival, warn } = reading;
  const { period, symbol } = series;
  let out = await exchange(undefined);
  const handOver = async (least: number): Promise<void> => {
    if (out.length < least) return;
    out = await exchange(out);
    out.clear();
    out.shrink(MAX_GROWTH * textChunk);
  };
  const lines = createTextLines({ ...series, isSelected: createSymbolTest(series) }, memories);
  for (const { path, day, isComing } of series.files) {
    if (isComing) {
      // Days are cut by local time (interface page, Dataset file), and all lines before this one are given.
      out.notBefore = day * US_PER_DAY;
      await handOver(0);
      if (!(await rejectOnAbort(arrival(path), signal))) continue;
    }
    const tally = new RowTally({ path, day, symbol });
    lines.open(tally);
    const endIn = createPeriodEndFinder({ start: period.end, end: tally.period.end });
    let isPast = false;
    const onText = async (text: Buffer): Promise<void> => {
      const end = endIn(text);
      lines.push(text.subarray(0, end), out);
      await handOver(textChunk);
      isPast = end !== undefined;
      if (isPast) throw new StopReading();
    };
    try {
      await readSourceText(path, { onBytes: () => {}, onText }, signal, reading);
    } catch (error) {
      if (!(error instanceof StopReading)) throw error;
    }
    lines.end(out);
    await handOver(1);
    const finding = tally.finding();
    if (finding !== undefined) warn(finding);
    if (isPast) return;
  }
}

function createSymbolTest({ symbols }: ReplaySeries): ((symbol: string) => boolean) | undefined {
  return symbols && ((symbol) => symbols.has(toDatasetSymbol(symbol)));
}
