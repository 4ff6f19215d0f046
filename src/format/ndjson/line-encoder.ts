import type { ColumnData, Schema, TextValues } from '../batch.js';
import { type Compression, loadCompressor } from '../compression/compressor.js';
import type { BatchEncoder } from '../output-format.js';
import {
  copyFixed,
  createFixedText,
  createLineTarget,
  type FixedText,
  type LineTarget,
  WORD_BYTES,
} from './fixed-text.js';
import { IsoTime, MAX_TIME_BYTES } from './iso-time.js';
import type { CellOptions } from './json-cell.js';
import { MAX_ESCAPE_BYTES, writeEscaped } from './json-escape.js';
import { columnKeys } from './line-limits.js';
import { MAX_NUMBER_BYTES, writeNumber } from './write-number.js';

const QUOTE = 34;
const NULL = createFixedText('null');
const BOOLEANS = [createFixedText('false'), createFixedText('true')] as const;
const END = createFixedText('}\n');
/** Maximum size of a cell that is not text: a quoted number or time. */
const MAX_CELL_BYTES = Math.max(MAX_NUMBER_BYTES, MAX_TIME_BYTES) + 2;
const INITIAL_BYTES = 64 * 1024;

/** Writes the cell of a row; returns the position after it. */
type CellWriter = (row: number, out: LineTarget, at: number) => number;

/**
 * Creates an encoder of batches to NDJSON, one line per row. Numbers have JavaScript's shortest form, or the
 * text of the batch as a string.
 */
export async function createLineEncoder(
  schema: Schema,
  options: CellOptions,
  compression: Compression,
): Promise<BatchEncoder> {
  const compress = await loadCompressor(compression);
  const keys = columnKeys(schema).map((key) => createFixedText(key.toString()));
  const fixedBytes = keys.reduce((sum, { length }) => sum + length + MAX_CELL_BYTES, END.length);
  let target = createLineTarget(INITIAL_BYTES);
  return ({ rows, columns }) => {
    const writers = columns.map((column) => createCellWriter(column, options));
    const room = fixedBytes + columns.reduce((sum, column) => sum + maxTextBytes(column), 0) + WORD_BYTES;
    let at = 0;
    for (let row = 0; row < rows; row++) {
      if (at + room > target.bytes.length) target = enlarge(target, at, room);
      for (let i = 0; i < writers.length; i++) {
        at = copyFixed(keys[i] as FixedText, target.view, at);
        at = (writers[i] as CellWriter)(row, target, at);
      }
      at = copyFixed(END, target.view, at);
    }
    return { rows, bytes: compress(target.bytes.subarray(0, at), 'fast') };
  };
}

function enlarge({ bytes }: LineTarget, length: number, room: number): LineTarget {
  const larger = createLineTarget(Math.max(length + room, 2 * bytes.length));
  larger.bytes.set(bytes.subarray(0, length));
  return larger;
}

/** Maximum size of a text of the column, as a JSON string. */
function maxTextBytes(column: ColumnData): number {
  const texts = textsOf(column);
  if (!texts) return 0;
  const { offsets } = texts;
  let max = 0;
  for (let i = 1; i < offsets.length; i++) {
    max = Math.max(max, (offsets[i] as number) - (offsets[i - 1] as number));
  }
  return max * MAX_ESCAPE_BYTES;
}

function textsOf(column: ColumnData): TextValues | undefined {
  if (column.kind === 'number') return column.text;
  if (column.kind !== 'text') return undefined;
  return column.encoding === 'plain' ? column.text : column.dictionary;
}

function createCellWriter(column: ColumnData, options: CellOptions): CellWriter {
  const { nulls } = column;
  const write = createValueWriter(column, options);
  return nulls
    ? (row, out, at) => (nulls[row] === 1 ? copyFixed(NULL, out.view, at) : write(row, out, at))
    : write;
}

function createValueWriter(column: ColumnData, { times, numbers }: CellOptions): CellWriter {
  if (column.kind === 'text' && column.encoding === 'dictionary') {
    const { indices, dictionary } = column;
    const write = createTextWriter(dictionary);
    return (row, out, at) => write(indices[row] as number, out, at);
  }
  if (column.kind === 'text') return createTextWriter(column.text);
  const { values } = column;
  if (column.kind === 'boolean') {
    return (row, { view }, at) => copyFixed(BOOLEANS[values[row] === 1 ? 1 : 0], view, at);
  }
  if (column.kind === 'time' && times === 'iso') {
    const iso = new IsoTime();
    return quoted((row, { view }, at) => iso.write(values[row] as number, true, view, at));
  }
  const write: CellWriter = (row, { view }, at) => writeNumber(values[row] as number, view, at);
  if (column.kind !== 'number' || numbers === 'double') return write;
  return column.text ? createTextWriter(column.text) : quoted(write);
}

function createTextWriter({ bytes, offsets }: TextValues): CellWriter {
  return quoted((index, out, at) =>
    writeEscaped(bytes, offsets[index] as number, offsets[index + 1] as number, out.bytes, at),
  );
}

function quoted(write: CellWriter): CellWriter {
  return (row, out, at) => {
    out.bytes[at] = QUOTE;
    const end = write(row, out, at + 1);
    out.bytes[end] = QUOTE;
    return end + 1;
  };
}
