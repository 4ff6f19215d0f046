import type { LineBuffer } from '../lines/line-buffer.js';
import { BatchTextLines, type ColumnMemories } from './batch-text-lines.js';
import type { DayFileLinesOptions } from './day-file-lines.js';
import { KernelTextLines, type MessageKernels } from './kernel-text-lines.js';
import type { RowTally } from './row-tally.js';

/** Day files of one kind, one after the other, as lines: text goes in, cut anywhere, and each piece adds its lines. */
export interface TextLines {
  /** Begins a day file. @param tally counts its rows. */
  open(tally: RowTally): void;
  /** Takes gunzipped text, which may be reused then. @throws TickhaulError `corrupt`; then it is of no use any more. */
  push(text: Buffer, out: LineBuffer): void;
  /** The day file is at its end. Throws as `push` does. */
  end(out: LineBuffer): void;
}

/** What all of one thread share, since they work in turns. */
export interface LineMemories {
  readonly columns: ColumnMemories;
  readonly kernels: MessageKernels;
}

export function createLineMemories(): LineMemories {
  return { columns: new Map(), kernels: new Map() };
}

/** Takes a kernel where a message type is all that is asked for: what is computed of messages is made of columns. */
export function createTextLines(
  options: Omit<DayFileLinesOptions, 'schema'>,
  memories: LineMemories,
): TextLines {
  const [type, ...others] = options.types.filter(({ dayFiles }) => dayFiles === options.dataType);
  const byBatches = (period = options.period): BatchTextLines =>
    new BatchTextLines({ ...options, period }, memories.columns);
  if (type?.kind !== 'source' || others.length > 0 || options.isWanted) return byBatches();
  return new KernelTextLines(type.name, options.period, memories.kernels, byBatches);
}
