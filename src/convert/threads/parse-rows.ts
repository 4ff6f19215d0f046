import { copyBytes } from '../../base/memory.js';
import { parseRecords } from '../../format/csv/quoted-records.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { BatchKernel, KernelJob } from '../../format/kernel/batch-kernel.js';

/**
 * Passes rows of a file to a kernel; rows with quotes are split by csv-parse.
 * @throws TickhaulError `corrupt`; the kernel must not be used after that.
 */
export function parseRows(
  kernel: BatchKernel,
  { source, schema }: KernelJob,
  text: Uint8Array,
  { line, quoted }: Pick<PieceRows, 'line' | 'quoted'>,
): void {
  kernel.source = source;
  kernel.line = line;
  if (!quoted) {
    copyBytes(text, kernel.getPieceBuffer(), 0);
    kernel.parse(text.length);
    return;
  }
  const names = schema.map(({ name }) => name);
  // Copy: parts of Node's API reject shared memory.
  for (const cells of parseRecords(Buffer.from(text), { source, line }, names)) kernel.appendRow(cells);
}
