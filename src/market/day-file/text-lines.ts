import type { LineBuffer } from '../lines/line-buffer.js';
import { BatchTextLines, type ColumnMemories } from './batch-text-lines.js';
import type { DayFileLinesOptions } from './day-file-lines.js';
import { KernelTextLines, type MessageKernels } from './kernel-text-lines.js';
import type { RowTally } from './row-tally.js';

/** Formats day files of one kind as lines, one file after the other. Each piece of text adds its lines. */
export interface TextLines {
  /** Starts a day file. @param tally counts its rows. */
  open(tally: RowTally): void;
  /**
   * Formats gunzipped text, which may be reused afterwards.
   * @throws TickhaulError `corrupt`; then it must not be used.
   */
  push(text: Buffer, out: LineBuffer): void;
  /** Ends the day file. Throws as `push` does. */
  end(out: LineBuffer): void;
}

/** Memory that all `TextLines` of a thread share, since they work in turns. */
export interface LineMemories {
  readonly columns: ColumnMemories;
  readonly kernels: MessageKernels;
}

export function createLineMemories(): LineMemories {
  return { columns: new Map(), kernels: new Map() };
}

/** Uses a kernel if exactly one message type is requested: computed types need columns. */
export function createTextLines(
  options: Omit<DayFileLinesOptions, 'schema'>,
  memories: LineMemories,
): TextLines {
  const [type, ...others] = options.types.filter(({ dayFileType }) => dayFileType === options.dataType);
  const createBatchLines = (period = options.period): BatchTextLines =>
    new BatchTextLines({ ...options, period }, memories.columns);
  if (type?.kind !== 'source' || others.length > 0 || options.isSelected) return createBatchLines();
  return new KernelTextLines(type.name, options.period, memories.kernels, createBatchLines);
}
