import { copyBytes } from '../../base/memory.js';
import { parseRecords } from '../../format/csv/quoted-records.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';

/**
 * Passes rows of a file to a kernel; rows with quotes are split by csv-parse.
 * @returns batches that ended early.
 * @throws TickhaulError `corrupt`; the kernel must not be used after that.
 */
export function parseRows(
  kernel: BatchKernel,
  { source, schema }: KernelJob,
  text: Uint8Array,
  { line, quoted }: Pick<PieceRows, 'line' | 'quoted'>,
): readonly EncodedBatch[] {
  kernel.source = source;
  kernel.line = line;
  if (!quoted) {
    copyBytes(text, kernel.getPieceBuffer(), 0);
    return kernel.parse(text.length);
  }
  const names = schema.map(({ name }) => name);
  // Copy: parts of Node's API reject shared memory.
  const ended: EncodedBatch[] = [];
  for (const cells of parseRecords(Buffer.from(text), { source, line }, names))
    ended.push(...kernel.appendRow(cells));
  return ended;
}
