import { toDatasetSymbol } from '../dataset/symbols.js';
import type { GzipReading } from '../integrity/read-gzip.js';
import { readText } from '../integrity/source.js';
import { createLineMemories, createTextLines, type LineMemories } from '../market/day-file/text-lines.js';
import { LineBuffer } from '../market/lines/line-buffer.js';
import type { Period } from '../market/trade-bars.js';
import type { Exchange } from './handover.js';
import { readInTurns } from './read-in-turns.js';
import type { ReadingSizes, ReplaySeries } from './types.js';

/** Lines have two to three times the bytes of their rows; memory past so many times is for few. */
const MOST_LINES = 8;

/** What the series of one thread share. */
export interface SharedReading extends GzipReading {
  readonly memories: LineMemories;
}

export function shareReading({ textChunk, openFiles }: ReadingSizes): SharedReading {
  return { read: readInTurns(openFiles, textChunk), textChunk, memories: createLineMemories() };
}

/** The buffers of one series: while one is read, the other is filled. */
export function lineBuffers({ textChunk }: ReadingSizes): LineBuffer[] {
  return [new LineBuffer(textChunk), new LineBuffer(textChunk)];
}

/**
 * The lines of a series, buffer by buffer. A day file is opened once the lines before it are made. Books and bars go on
 * from one day file to the next, as in one stream.
 * @throws TickhaulError what reading and parsing throw: `corrupt`, `unreadable`; and what `exchange` throws.
 */
export async function makeLines(
  series: ReplaySeries,
  period: Period,
  reading: SharedReading,
  exchange: Exchange<LineBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const { textChunk, memories } = reading;
  let out = await exchange(undefined);
  const handOver = async (least: number): Promise<void> => {
    if (out.length < least) return;
    out = await exchange(out);
    out.clear();
    out.shrink(MOST_LINES * textChunk);
  };
  const lines = createTextLines({ ...series, period, isWanted: wantedBy(series) }, memories);
  for (const path of series.paths) {
    lines.open(path);
    const onText = (text: Buffer): Promise<void> => {
      lines.push(text, out);
      return handOver(textChunk);
    };
    await readText(path, { onBytes: () => {}, onText }, signal, reading);
    lines.end(out);
    await handOver(1);
  }
}

function wantedBy({ symbols }: ReplaySeries): ((symbol: string) => boolean) | undefined {
  return symbols && ((symbol) => symbols.has(toDatasetSymbol(symbol)));
}
