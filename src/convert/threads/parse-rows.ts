import { parseRecords } from '../../format/csv/quoted-records.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';

/**
 * Gives a kernel some rows of a file; csv-parse finds the cells where there are quotes.
 * @returns batches that had to end early.
 * @throws TickhaulError `createCorruptError`; the kernel is of no use after that.
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
    kernel.getPieceBuffer().set(text);
    return kernel.parse(text.length);
  }
  const names = schema.map(({ name }) => name);
  // A copy, since not all of Node reads shared memory.
  const records = parseRecords(Buffer.from(text), { source, line }, names);
  return records.flatMap((cells) => kernel.appendRow(cells));
}
