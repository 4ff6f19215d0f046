import type { Batch, ColumnData, Schema } from '../../format/batch.js';
import type { CellOptions } from '../../format/ndjson/json-cell.js';
import {
  copyFixed,
  createFixedText,
  type FixedText,
  type LineTarget,
} from '../../market/lines/fixed-text.js';
import { IsoTime, MAX_TIME_BYTES } from '../../market/lines/iso-time.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import { MAX_NUMBER_BYTES, writeNumber } from '../../market/lines/write-number.js';
import { createDictionaryTexts } from '../../market/lines/write-text.js';

const QUOTE = 34;
const NULL = createFixedText('null');
const END = createFixedText('}\n');
/** Maximum size of a cell that is not text: a quoted number or time. */
const MAX_CELL_BYTES = Math.max(MAX_NUMBER_BYTES, MAX_TIME_BYTES) + 2;

/** Writes the cell of a row; returns the position after it. */
type CellWriter = (row: number, out: LineTarget, at: number) => number;

/**
 * Creates an encoder of computed rows to NDJSON, one line per row. Numbers have JavaScript's shortest form,
 * since there is no CSV text to copy. The bytes are valid until the next call.
 */
export function createLineEncoder(schema: Schema, options: CellOptions): (batch: Batch) => Uint8Array {
  const lines = new LineBuffer();
  const keys = schema.map(({ name }, i) => createFixedText(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  const size = keys.reduce((sum, { length }) => sum + length + MAX_CELL_BYTES, END.length);
  return ({ rows, columns }) => {
    lines.clear();
    const writers = columns.map((column) => createCellWriter(column, options));
    const room = size + columns.reduce((sum, column) => sum + maxTextBytes(column), 0);
    for (let row = 0; row < rows; row++) {
      const out = lines.room(room);
      let at = lines.length;
      for (let i = 0; i < writers.length; i++) {
        at = copyFixed(keys[i] as FixedText, out.view, at);
        at = (writers[i] as CellWriter)(row, out, at);
      }
      lines.add(copyFixed(END, out.view, at), 0);
    }
    return lines.bytes.subarray(0, lines.length);
  };
}

function maxTextBytes(column: ColumnData): number {
  if (column.kind !== 'text' || column.encoding === 'plain') return 0;
  return Math.max(0, ...createDictionaryTexts(column.dictionary, '').map(({ length }) => length));
}

function createCellWriter(column: ColumnData, { times, numbers }: CellOptions): CellWriter {
  const { nulls } = column;
  const write = createValueWriter(column, times, numbers);
  return nulls
    ? (row, out, at) => (nulls[row] === 1 ? copyFixed(NULL, out.view, at) : write(row, out, at))
    : write;
}

function createValueWriter(
  column: ColumnData,
  times: CellOptions['times'],
  numbers: CellOptions['numbers'],
): CellWriter {
  if (column.kind === 'text' && column.encoding === 'dictionary') {
    const { indices } = column;
    const texts = createDictionaryTexts(column.dictionary, '');
    return (row, { view }, at) => copyFixed(texts[indices[row] as number] as FixedText, view, at);
  }
  if (column.kind === 'text' || column.kind === 'boolean') {
    throw new Error(`a computed type cannot have a ${column.kind} column here`);
  }
  const { values } = column;
  if (column.kind === 'time' && times === 'iso') {
    const iso = new IsoTime();
    return quoted((row, { view }, at) => iso.write(values[row] as number, true, view, at));
  }
  const write: CellWriter = (row, { view }, at) => writeNumber(values[row] as number, view, at);
  return column.kind === 'number' && numbers === 'string' ? quoted(write) : write;
}

function quoted(write: CellWriter): CellWriter {
  return (row, out, at) => {
    out.bytes[at] = QUOTE;
    const end = write(row, out, at + 1);
    out.bytes[end] = QUOTE;
    return end + 1;
  };
}
