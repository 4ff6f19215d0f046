import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TickhaulError } from '../../../src/base/errors.js';
import { type DataType, type DayFileKind, dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { ColumnMemory } from '../../../src/format/columns/column-memory.js';
import { RowReader } from '../../../src/format/csv/row-reader.js';
import { rounds } from '../../helpers/services.js';
import { alikeRows } from '../alike-rows.js';
import { HEADER } from '../trades.js';
import { decodeTextAt, parseCsv, rowsOf, type Value } from './helpers.js';
import { naiveRows } from './naive.js';

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });

/** Decimal texts of 1 to 25 digits before and after the point, with and without exponent. */
const decimal = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    fc.oneof(digits(1, 25), digits(1, 10), fc.constant('0')),
    fc.option(fc.oneof(digits(1, 25), digits(1, 8))),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 200 })), { freq: 3 }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === null ? '' : `.${fraction}`, exponent?.join('') ?? ''].join(''),
  );

/** Any double as JavaScript prints it. */
const printed = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);

test('stores every decimal as Number(text), to the bit', () => {
  const leading = 'x,S,1,2';
  fc.assert(
    fc.property(fc.array(fc.oneof(decimal, printed), { minLength: 2, maxLength: 40 }), (texts) => {
      const csv = texts.map((text, i) => `${leading},,,${text},${texts[texts.length - 1 - i]}\n`).join('');
      const { rows } = parseCsv(`${HEADER}\n${csv}`);
      for (const [i, text] of texts.entries()) {
        assert.ok(Object.is(rows[i]?.[6], Number(text)), text);
        assert.ok(Object.is(rows[texts.length - 1 - i]?.[7], Number(text)), text);
      }
    }),
    { numRuns: rounds(150) },
  );
});

/** A decimal as an integer and a power of ten, without zeros at its end. */
function normalize(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '0' : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

test('a number that is not long is the shortest decimal of its double', () => {
  const short = fc.tuple(digits(1, 8), digits(1, 9)).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.array(fc.oneof(short, decimal, printed), { minLength: 1, maxLength: 40 }), (texts) => {
      const csv = texts.map((text) => `x,S,1,2,,,${text},${text}\n`).join('');
      const [batch] = parseCsv(`${HEADER}\n${csv}`, { numberText: 'long' }).batches;
      const column = batch?.columns[6];
      assert.ok(column?.kind === 'number');
      for (const [i, text] of texts.entries()) {
        const kept: string = column.text ? decodeTextAt(column.text, i) : '';
        if (kept === '') assert.equal(normalize(String(column.values[i])), normalize(text));
        else assert.equal(kept, text);
      }
    }),
    { numRuns: rounds(150) },
  );
});

const CELLS: Readonly<Record<DayFileKind, fc.Arbitrary<string>>> = {
  text: fc.oneof(
    fc.constantFrom('buy', 'sell', '', 'é中'),
    fc.uuid(),
    fc.string({ maxLength: 60 }).map((text) => text.replace(/[",\r\n\ud800-\udfff]/g, '')),
  ),
  time: fc.oneof(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).map(String),
    fc.constantFrom('', '-12', '007'),
  ),
  boolean: fc.constantFrom('true', 'false', ''),
  number: fc.oneof(decimal, fc.constant('')),
};
const NEVER_EMPTY = [
  fc.constantFrom('deribit', 'ftx'),
  fc.constantFrom('A', 'BC'),
  fc.nat().map(String),
  fc.nat().map(String),
];

const dayFile = fc
  .constantFrom<DataType>(
    'trades',
    'incremental_book_L2',
    'derivative_ticker',
    'options_chain',
    'book_snapshot_5',
  )
  .chain((dataType) => {
    const columns = dataTypeColumns(dataType) ?? [];
    const row = fc.tuple(...columns.map(({ kind }, i) => NEVER_EMPTY[i] ?? CELLS[kind]));
    return fc.record({
      dataType: fc.constant(dataType),
      header: fc.constant(columns.map(({ name }) => name).join(',')),
      rows: alikeRows(row, 12),
      lineEnd: fc.constantFrom('\n', '\r\n'),
    });
  });

const csvOf = (file: { header: string; rows: readonly (readonly string[])[]; lineEnd: string }): string =>
  [file.header, ...file.rows.map((row) => row.join(',')), ''].join(file.lineEnd);

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

test('any chunking gives the same batches, and csv-parse gives the same rows', () => {
  fc.assert(
    fc.property(
      dayFile,
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('none' as const, 'all' as const, 'long' as const),
      fc.nat(),
      (file, chunks, batchRows, numberText, nth) => {
        const { dataType } = file;
        const csv = csvOf(file);
        const whole = parseCsv(csv, { dataType, batchRows, numberText });
        const same = (text: string, sizes: readonly number[]): void =>
          assert.deepEqual(parseCsv(text, { dataType, batchRows, numberText, chunks: sizes }), whole);
        same(csv, chunks);
        same(csv, [1]);
        same(csv.replace('exchange', '"exchange"'), chunks);
        const at = nth % (file.rows.length + 1);
        const rows = file.rows.map((row, i) => (i === at ? row.map(quoted) : row));
        same(csvOf({ ...file, rows }), chunks);
      },
    ),
    { numRuns: rounds(80) },
  );
});

test('parsers that share a memory in turns give the same rows as alone, even if one of them fails', () => {
  fc.assert(
    fc.property(
      dayFile,
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      (file, sizes, batchRows) => {
        const { dataType, rows } = file;
        const whole = csvOf(file);
        const texts = [
          whole,
          csvOf({ ...file, rows: rows.toReversed().map((row, i) => (i === 1 ? row.map(quoted) : row)) }),
          `${whole}too,few${file.lineEnd}${whole}`,
        ];
        const memories = new Map<string, ColumnMemory>();
        const turns = texts.map((text, at) => {
          const parser = new RowReader({ path: 'day.csv.gz', dataType, batchRows, memories });
          return { parser, rest: Buffer.from(text), size: sizes[at] ?? 1, rows: [] as Value[][] };
        });
        let failures = 0;
        for (let left = [...turns]; left.length > 0; left = left.filter(({ rest }) => rest.length > 0)) {
          for (const turn of left) {
            const chunk = turn.rest.subarray(0, turn.size);
            turn.rest = turn.rest.subarray(turn.size);
            try {
              for (const batch of turn.parser.push(chunk)) turn.rows.push(...rowsOf(batch));
            } catch {
              failures++;
              turn.rest = Buffer.alloc(0);
            }
          }
        }
        assert.equal(failures, 1);
        for (const [at, { parser, rows: found }] of turns.slice(0, 2).entries()) {
          for (const batch of parser.end()) found.push(...rowsOf(batch));
          assert.deepEqual(found, parseCsv(texts[at] ?? '', { dataType }).rows);
        }
      },
    ),
    { numRuns: rounds(40) },
  );
});

test('a mutated file gives the right rows or an error', () => {
  const bytes = fc.constantFrom(...Buffer.from('0123456789,,,\n\n\r.-eE+ntrufalse" \x00'), 0xc3, 0xff);
  const mutation = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.array(bytes, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(
      dayFile,
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 300 }),
      (file, mutations, size) => {
        let csv = Buffer.from(csvOf(file));
        for (const { at, remove, insert } of mutations) {
          const start = at % (csv.length + 1);
          csv = Buffer.concat([csv.subarray(0, start), Buffer.from(insert), csv.subarray(start + remove)]);
        }
        let rows: readonly (readonly Value[])[];
        try {
          rows = parseCsv(csv, { dataType: file.dataType, chunks: [size] }).rows;
        } catch (error) {
          assert.ok(error instanceof TickhaulError && error.code === 'corrupt', String(error));
          assert.match(error.message, /^day\.csv\.gz: line \d+, /);
          if (!csv.includes('"')) assert.equal(naiveRows(csv, file.dataType), undefined, error.message);
          return;
        }
        if (!csv.includes('"')) assert.deepEqual(rows, naiveRows(csv, file.dataType));
      },
    ),
    { numRuns: rounds(250) },
  );
});
