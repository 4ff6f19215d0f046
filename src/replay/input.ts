import { toDatasetSymbol } from '../dataset/symbols.js';
import type { Schema } from '../format/columns.js';
import { DayFileReader } from '../format/csv/day-file-reader.js';
import type { ReadChunks } from '../integrity/read-chunks.js';
import { readSource } from '../integrity/source.js';
import { createDayFileLines, type DayFileLines } from '../market/day-file/day-file-lines.js';
import { LineBuffer } from '../market/lines/line-buffer.js';
import type { Period } from '../market/trade-bars.js';
import { createHandover } from './handover.js';
import type { ReplaySeries } from './types.js';

/** Cells a batch: small, since several hundred inputs have one each. */
const BATCH_CELLS = 16 * 1024;
/** Bytes of lines from which on they are handed over. */
const FULL = 128 * 1024;

/**
 * The lines of a series, as an input of the merge. A day file is opened once the lines before it are wanted; two line
 * buffers are read ahead at most. Books and bars go on from one day file to the next, as in one stream.
 * @param read how a file's bytes are read.
 * @throws from its iterator, in its turn, what reading and parsing throw: `corrupt`, `unreadable`.
 */
export function openInput(
  series: ReplaySeries,
  period: Period,
  read: ReadChunks,
  signal: AbortSignal,
): AsyncIterable<LineBuffer> {
  return createHandover([new LineBuffer(), new LineBuffer()], (exchange, stopped) =>
    readSeries(series, period, read, exchange, AbortSignal.any([signal, stopped])),
  );
}

async function readSeries(
  series: ReplaySeries,
  period: Period,
  read: ReadChunks,
  exchange: (full: LineBuffer | undefined) => Promise<LineBuffer>,
  signal: AbortSignal,
): Promise<void> {
  let out = await exchange(undefined);
  out.clear();
  const handOver = async (least: number): Promise<void> => {
    if (out.length < least) return;
    out = await exchange(out);
    out.clear();
  };
  let lines: DayFileLines | undefined;
  let names = '';
  const linesFor = (schema: Schema): DayFileLines => {
    const found = schema.map(({ name }) => name).join();
    if (!lines || found !== names)
      lines = createDayFileLines({ ...series, schema, period, isWanted: wantedBy(series) });
    names = found;
    return lines;
  };
  for (const path of series.paths) {
    const reader = new DayFileReader({
      path,
      dataType: series.dataType,
      batchRows: (columns) => Math.max(512, Math.floor(BATCH_CELLS / columns)),
      numberText: false,
    });
    await readSource(
      path,
      async (text) => {
        for (const batch of reader.push(text)) {
          linesFor(reader.schema).push(batch, out);
          await handOver(FULL);
        }
      },
      () => {},
      signal,
      read,
    );
    for (const batch of reader.end()) linesFor(reader.schema).push(batch, out);
    lines?.end(out);
    await handOver(1);
  }
}

function wantedBy({ symbols }: ReplaySeries): ((symbol: string) => boolean) | undefined {
  return symbols && ((symbol) => symbols.has(toDatasetSymbol(symbol)));
}
