import { abortReason } from '../../base/errors.js';
import {
  type Cell,
  describeUnread,
  EDGE_ROWS,
  type FileContent,
  TIME_COLUMN,
  TimeOrder,
  TooLargeError,
} from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import { MessageHeader } from './arrow-message.js';
import {
  type ArrowBlock,
  type ArrowFooter,
  countRows,
  createReadLimits,
  type FooterField,
  openRecordBatch,
  type ReadLimits,
  readArrowFooter,
  readHeader,
  readRecordBatch,
  type StoredRecordBatch,
} from './arrow-reader.js';

/**
 * Summarizes an Arrow file. Rows, columns and metadata come from its footer, and nulls from the messages of its record
 * batches; only the edge rows and the order of rows need data. If data of another writer cannot be read, `unread` states
 * why.
 * @throws TickhaulError `corrupt`, and errors of `file.read`.
 */
export async function inspectArrow(
  path: string,
  file: RandomBytes,
  signal: AbortSignal,
): Promise<FileContent> {
  const footer = await readArrowFooter(file, path);
  const rows = await countRows(file, path, footer);
  const { nulls, ...summary } = await readData(path, file, { ...footer, rows }, signal);
  return {
    bytes: file.bytes,
    rows,
    rowGroups: footer.batches.length,
    metadata: footer.keyValues,
    columns: footer.fields.map(({ name, type }, i) => ({
      name,
      type: type.name,
      nulls: nulls?.[i],
      min: undefined,
      max: undefined,
    })),
    ...summary,
  };
}

interface DataSummary
  extends Pick<FileContent, 'first' | 'last' | 'timeRange' | 'largestGap' | 'outOfOrder' | 'unread'> {
  /** Nulls of each column. */
  readonly nulls?: readonly number[] | undefined;
}

type CountedFooter = ArrowFooter & { readonly rows: number };

async function readData(
  path: string,
  file: RandomBytes,
  footer: CountedFooter,
  signal: AbortSignal,
): Promise<DataSummary> {
  if (footer.fields.some(({ type }) => type.layout === undefined))
    return { first: [], last: [], unread: 'its columns are nested' };
  try {
    return await summarizeBatches(file, footer, signal);
  } catch (error) {
    return { first: [], last: [], unread: describeUnread(path, error, footer.createdBy) };
  }
}

const MAX_BATCHES = 100_000;

async function summarizeBatches(
  file: RandomBytes,
  { fields, dictionaries, batches, rows }: CountedFooter,
  signal: AbortSignal,
): Promise<DataSummary> {
  const storedTypes = fields.map(({ type, dictionary }) => dictionary?.indices ?? type);
  if (batches.length > MAX_BATCHES) throw new TooLargeError(`it has more than ${MAX_BATCHES} record batches`);
  const limits = createReadLimits(file);
  const lookUp = await readDictionaries(file, dictionaries, fields, limits);
  const timeColumn = fields.findIndex(isTimeColumn);
  const firstEnd = Math.min(EDGE_ROWS, rows);
  const lastStart = Math.max(firstEnd, rows - EDGE_ROWS);
  const first: (readonly Cell[])[] = [];
  const last: (readonly Cell[])[] = [];
  const order = new TimeOrder();
  const nulls = fields.map(() => 0);
  let start = 0;

  /** Reads the rows from `from` up to, but not including, `to`, as far as the batch has them. */
  const readRows = async (batch: StoredRecordBatch, from: number, to: number): Promise<Cell[][]> => {
    const begin = Math.max(from - start, 0);
    const count = Math.min(to - start, batch.rows) - begin;
    if (count <= 0) return [];
    const rowsRead: Cell[][] = Array.from({ length: count }, () => []);
    for (const [i, { dictionary }] of fields.entries()) {
      const cellAt = await batch.readColumn(i);
      for (const [row, cells] of rowsRead.entries()) {
        const cell = cellAt(begin + row);
        cells.push(dictionary && cell !== null ? lookUp(dictionary.id, Number(cell)) : cell);
      }
    }
    return rowsRead;
  };

  for (const block of batches) {
    if (signal.aborted) throw abortReason(signal);
    const batch = await readRecordBatch(file, block, storedTypes, limits);
    for (const [i, count] of batch.nullCounts.entries()) nulls[i] = (nulls[i] ?? 0) + count;
    limits.steps.take(timeColumn >= 0 ? batch.rows : 0);
    if (timeColumn >= 0) await addTimes(batch, timeColumn, order);
    first.push(...(await readRows(batch, 0, firstEnd)));
    last.push(...(await readRows(batch, lastStart, rows)));
    start += batch.rows;
  }
  if (start !== rows) throw new RangeError(`its record batches have ${start} rows, not ${rows}`);
  return { first, last, ...order.read(), nulls };
}

/** With `--times int` the column is a plain integer. */
function isTimeColumn({ name, type, dictionary }: FooterField): boolean {
  return name === TIME_COLUMN && !dictionary && (type.name === 'timestamp' || type.name === 'int64');
}

async function addTimes(batch: StoredRecordBatch, column: number, order: TimeOrder): Promise<void> {
  const timeAt = await batch.readColumn(column);
  for (let row = 0; row < batch.rows; row++) {
    const time = timeAt(row);
    if (time !== null) order.add(Number(time));
  }
}

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
async function readDictionaries(
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
