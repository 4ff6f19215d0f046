import type { DataType } from '../../src/day-files/data-types.js';
import { createDayFileLines } from '../../src/market/day-file/day-file-lines.js';
import { LineBuffer } from '../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../src/market/message-type-name.js';
import type { Period } from '../../src/market/trade-bars.js';
import { batchesOf } from './batches.js';

export const ALWAYS: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

export interface Line {
  readonly text: string;
  readonly localTimestamp: number;
}

/** The lines of a day file's text, without their LFs. The buffer is small and is emptied after each batch. */
export function linesOf(
  dataType: DataType,
  csv: string,
  names: readonly string[],
  {
    batchRows = 1000,
    period = ALWAYS,
    isWanted = undefined as ((symbol: string) => boolean) | undefined,
  } = {},
): Line[] {
  const { batches } = batchesOf(dataType, csv, batchRows);
  const lines = createDayFileLines({
    dataType,
    types: names.map(parseMessageType),
    period,
    isSelected: isWanted,
  });
  const out = new LineBuffer(1);
  const found: Line[] = [];
  for (const batch of [...batches, undefined]) {
    if (batch) lines.push(batch, out);
    else lines.end(out);
    const whole = Buffer.from(out.bytes.subarray(0, out.length)).toString();
    for (let i = 0, start = 0; i < out.count; i++) {
      const end = out.ends[i] ?? 0;
      const text = Buffer.from(out.bytes.subarray(start, end)).toString();
      if (!text.endsWith('\n')) throw new Error(`no LF: ${whole}`);
      found.push({ text: text.slice(0, -1), localTimestamp: out.localTimestamps[i] ?? Number.NaN });
      start = end;
    }
    out.clear();
  }
  return found;
}
