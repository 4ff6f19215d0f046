import { parseRecords } from '../../format/csv/quoted.js';
import type { Rows } from '../../format/csv/row-cutter.js';
import type { BatchKernel, Encoded, KernelJob } from '../../format/kernel/batch-kernel.js';

/**
 * Gives a kernel some rows of a file; csv-parse finds the cells where there are quotes.
 * @returns batches that had to end early.
 * @throws TickhaulError `corrupt`; the kernel is of no use after that.
 */
export function takeRows(
  kernel: BatchKernel,
  { source, schema }: KernelJob,
  text: Uint8Array,
  { line, quoted }: Pick<Rows, 'line' | 'quoted'>,
): readonly Encoded[] {
  kernel.source = source;
  kernel.line = line;
  if (!quoted) {
    kernel.piece().set(text);
    return kernel.take(text.length);
  }
  const names = schema.map(({ name }) => name);
  // A copy, since not all of Node reads shared memory.
  const records = parseRecords(Buffer.from(text), { source, line }, names);
  return records.flatMap((cells) => kernel.takeRow(cells));
}
