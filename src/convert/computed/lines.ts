import type { Batch, ColumnData, Schema } from '../../format/columns.js';
import type { CellOptions } from '../../format/ndjson/cell.js';
import { copyFixed, type Fixed, fixed, type Target } from '../../market/lines/bytes.js';
import { IsoTime, LONGEST_TIME } from '../../market/lines/iso-time.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import { LONGEST_NUMBER, writeNumber } from '../../market/lines/number-text.js';
import { dictionaryTexts } from '../../market/lines/text.js';

const QUOTE = 34;
const NULL = fixed('null');
const END = fixed('}\n');
/** What a cell takes at most besides its key, where it is no text: a number or a time, quoted. */
const LONGEST_CELL = Math.max(LONGEST_NUMBER, LONGEST_TIME) + 2;

/** Writes one row's cell; returns the position behind it. */
type CellWriter = (row: number, out: Target, at: number) => number;

/**
 * Gives the function that makes computed rows NDJSON: a line a row, numbers in JavaScript's shortest form, since there
 * are no digits of the CSV to keep. Its bytes are good until the next call.
 */
export function createLineEncoder(schema: Schema, options: CellOptions): (batch: Batch) => Uint8Array {
  const lines = new LineBuffer();
  const keys = schema.map(({ name }, i) => fixed(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  const size = keys.reduce((sum, { length }) => sum + length + LONGEST_CELL, END.length);
  return ({ rows, columns }) => {
    lines.clear();
    const writers = columns.map((column) => cellWriter(column, options));
    const room = size + columns.reduce((sum, column) => sum + longestText(column), 0);
    for (let row = 0; row < rows; row++) {
      const out = lines.room(room);
      let at = lines.length;
      for (let i = 0; i < writers.length; i++) {
        at = copyFixed(keys[i] as Fixed, out.view, at);
        at = (writers[i] as CellWriter)(row, out, at);
      }
      lines.add(copyFixed(END, out.view, at), 0);
    }
    return lines.bytes.subarray(0, lines.length);
  };
}

function longestText(column: ColumnData): number {
  if (column.kind !== 'text' || column.encoding === 'plain') return 0;
  return Math.max(0, ...dictionaryTexts(column.dictionary, '').map(({ length }) => length));
}

function cellWriter(column: ColumnData, { times, numbers }: CellOptions): CellWriter {
  const { nulls } = column;
  const write = valueWriter(column, times, numbers);
  return nulls
    ? (row, out, at) => (nulls[row] === 1 ? copyFixed(NULL, out.view, at) : write(row, out, at))
    : write;
}

function valueWriter(
  column: ColumnData,
  times: CellOptions['times'],
  numbers: CellOptions['numbers'],
): CellWriter {
  if (column.kind === 'text' && column.encoding === 'dictionary') {
    const { indices } = column;
    const texts = dictionaryTexts(column.dictionary, '');
    return (row, { view }, at) => copyFixed(texts[indices[row] as number] as Fixed, view, at);
  }
  if (column.kind === 'text' || column.kind === 'boolean') {
    throw new Error(`no computed type has a column of ${column.kind} here`);
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
