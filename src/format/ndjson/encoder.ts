import type { Batch, Schema } from '../columns.js';
import { batchCells, CELL, type Cells, keyOf, NULL_ENTRY, VALUE_ENTRY } from './cells.js';
import { writeEscaped } from './escape.js';
import { sharedCells } from './shared.js';
import { IsoTimes, writeInteger } from './times.js';
import { copyWords, viewOf, WORD } from './words.js';

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const BRACE = 125;
const LF = 10;

export interface NdjsonOptions {
  /** `int`: integer microseconds; `iso`: ISO 8601 with six decimals, as a string. */
  readonly times: 'int' | 'iso';
  /** `double`: the CSV's digits as a JSON number; `string`: the CSV's text to the letter, as a JSON string. */
  readonly numbers: 'double' | 'string';
  /** How many results stay whole: each lies in the memory of the one so many calls before it. */
  readonly results: number;
}

/**
 * Rows as NDJSON, UTF-8, one object a line in the schema's order of columns; an empty cell is null. Numbers are
 * the CSV's own digits, but for leading zeros, which JSON doesn't take (RFC 8259, section 6): `007.50` gives 7.50.
 * Batches need their `NumberColumn.text` (the parser's `numberText`).
 *
 * Results lie in shared memory, so that another thread may write them to a file as they are.
 */
export function createNdjsonEncoder(schema: Schema, options: NdjsonOptions): (batch: Batch) => Uint8Array {
  const iso = options.times === 'iso';
  const quoteNumbers = options.numbers === 'string';
  const keys = schema.map(({ name, kind }, i) =>
    keyOf(name, kind, i === 0, (kind === 'time' && iso) || (kind === 'number' && quoteNumbers)),
  );
  const isoTimes = iso ? schema.map(({ kind }) => (kind === 'time' ? new IsoTimes() : undefined)) : undefined;
  const outs: Uint8Array[] = Array.from({ length: options.results }, () => new Uint8Array());
  let next = 0;

  return (batch) => {
    const cells = batchCells(batch, keys);
    const size = cells.reduce((sum, cell) => sum + cell.size, 2 * batch.rows + WORD);
    const at = next++ % outs.length;
    let out = outs[at] as Uint8Array;
    if (size > out.length) out = new Uint8Array(new SharedArrayBuffer(Math.ceil(1.25 * size)));
    outs[at] = out;
    return out.subarray(0, encodeRows(batch.rows, cells, out, isoTimes, quoteNumbers));
  };
}

/**
 * Returns the length of what was written. One loop, since no call per cell could match it. What a row begins with
 * like the row before it is copied from there.
 */
function encodeRows(
  rows: number,
  cells: readonly Cells[],
  out: Uint8Array,
  isoTimes: readonly (IsoTimes | undefined)[] | undefined,
  quoteNumbers: boolean,
): number {
  const to = viewOf(out);
  const { leading, shared } = sharedCells(cells, rows);
  /** Where the leading cells of the row before end, counted from its start. */
  const ends = new Int32Array(leading + 1);
  let before = 0;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const rowStart = at;
    let column = shared[row] as number;
    const length = ends[column] as number;
    copyWords(to, before, before + length, to, at);
    at += length;
    before = rowStart;
    for (; column < cells.length; column++) {
      if (column <= leading) ends[column] = at - rowStart;
      const cell = cells[column] as Cells;
      const { how, nulls } = cell;
      const isNull = nulls !== undefined && nulls[row] === 1;
      let entry = VALUE_ENTRY;
      if (isNull) entry = NULL_ENTRY;
      else if (how === CELL.entry) entry = (cell.indices[row] as number) + 1;
      else if (how === CELL.boolean) entry = (cell.booleans[row] as number) + 1;
      const { view, offsets } = cell.entries;
      const from = offsets[entry] as number;
      const length = (offsets[entry + 1] as number) - from;
      copyWords(view, from, from + length, to, at);
      at += length;
      if (isNull || how <= CELL.boolean) continue;

      if (how === CELL.time) {
        const time = cell.doubles[row] as number;
        const writer = isoTimes?.[column];
        if (writer) {
          at = writer.write(time, to, at);
          out[at++] = QUOTE;
        } else {
          at = writeInteger(time, to, at);
        }
        continue;
      }
      const end = cell.offsets[row + 1] as number;
      let start = cell.offsets[row] as number;
      if (how === CELL.number && !quoteNumbers) {
        const first = cell.text[start] as number;
        if (first <= ZERO) {
          if (first === MINUS) {
            start++;
            out[at++] = MINUS;
          }
          while (cell.text[start] === ZERO && isDigit(cell.text, start + 1, end)) start++;
        }
        at = copy(cell, start, end, out, to, at);
        continue;
      }
      at = cell.clean ? copy(cell, start, end, out, to, at) : writeEscaped(cell.text, start, end, out, at);
      out[at++] = QUOTE;
    }
    out[at++] = BRACE;
    out[at++] = LF;
  }
  return at;
}

function copy(cell: Cells, start: number, end: number, out: Uint8Array, to: DataView, at: number): number {
  const { text } = cell;
  if (end + WORD <= cell.end) copyWords(cell.view, start, end, to, at);
  else for (let p = start, q = at; p < end; p++, q++) out[q] = text[p] as number;
  return at + end - start;
}

function isDigit(text: Uint8Array, p: number, end: number): boolean {
  return p < end && ((text[p] as number) ^ ZERO) <= 9;
}
