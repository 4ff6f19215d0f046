import type { RandomBytes } from '../file-access.js';
import type { Cell } from '../inspection/file-content.js';
import type { FooterField } from './arrow-footer.js';
import { MessageHeader } from './arrow-message.js';
import { type ArrowBlock, openRecordBatch, type ReadLimits, readHeader } from './record-batch-reader.js';

/** A batch of a dictionary's values. */
interface DictionaryPart {
  readonly rows: number;
  readonly cellAt: (row: number) => Cell;
}

/**
 * Reads the dictionaries of a file, which cannot be replaced in it, but extended.
 * @returns a function that finds the value at a position of a dictionary.
 * @throws RangeError for damaged or unsupported data, and errors of `file.read`.
 */
export async function readDictionaries(
  file: RandomBytes,
  blocks: readonly ArrowBlock[],
  fields: readonly FooterField[],
  limits: ReadLimits,
): Promise<(id: number, position: number) => Cell> {
  const parts = new Map<number, DictionaryPart[]>();
  // All of them are kept in memory.
  let maxBytes = limits.maxBytes;
  for (const block of blocks) {
    const header = await readHeader(file, block, MessageHeader.dictionaryBatch);
    const id = header.long(0);
    const data = header.table(1);
    const field = fields.find(({ dictionary }) => dictionary?.id === id);
    if (!data || !field) throw new RangeError('a dictionary belongs to no column');
    const batch = openRecordBatch(file, block, data, [field.type], { ...limits, maxBytes });
    const part = { rows: batch.rows, cellAt: await batch.readColumn(0) };
    maxBytes -= batch.columnBytes();
    const known = parts.get(id);
    if (known) known.push(part);
    else parts.set(id, [part]);
  }
  return (id, position) => {
    let rest = position;
    for (const { rows, cellAt } of parts.get(id) ?? []) {
      limits.steps.take(1);
      if (rest < rows) return cellAt(rest);
      rest -= rows;
    }
    throw new RangeError('a value is not in its dictionary');
  };
}
