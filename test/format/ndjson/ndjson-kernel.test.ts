import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATA_TYPES, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { rounds } from '../../helpers/services.js';
import { alikeRows } from '../alike-rows.js';
import { referenceLines } from '../reference/ndjson.js';
import { referenceRows } from '../reference/rows.js';
import { ROW } from '../trades.js';
import { between, type LineChoice, linesOf } from './lines-of.js';
import { ndjsonTarget } from './ndjson-target.js';

const CHOICES: readonly LineChoice[] = [
  { times: 'int', numbers: 'double' },
  { times: 'iso', numbers: 'string' },
  { times: 'iso', numbers: 'double' },
  { times: 'int', numbers: 'string' },
];

test('formats a row as a line, with keys in the order of the columns', async () => {
  assert.equal(
    await linesOf(`${ROW}\n`),
    '{"exchange":"deribit","symbol":"BTC-PERPETUAL","timestamp":1585699200245000,' +
      '"local_timestamp":1585699200355684,"id":"a1","side":"buy","price":6421.5,"amount":18640}\n',
  );
});

test('formats rows with equal first cells, some empty, as it does alone', async () => {
  const cells = ROW.split(',');
  const rows = [
    ROW,
    cells.with(5, ''),
    cells.with(5, ''),
    ROW,
    cells.with(4, ''),
    cells.with(4, ''),
    ROW,
    ROW,
  ];
  const text = rows.map((row) => `${row}\n`).join('');
  assert.equal(await linesOf(text), await linesOf(text, { rows: 1 }));
});

test('formats the same lines for pieces of any number of rows, with CRLF, and without a last LF', async () => {
  for (const dataType of DATA_TYPES) {
    const schema = dataTypeColumns(dataType) ?? [];
    const value = { text: 'bid', time: '1585699200245000', boolean: 'true', number: '0.5' };
    const rows = Array.from({ length: 9 }, (_, row) =>
      schema.map(({ kind }, i) =>
        i > 3 && (i + row) % 5 === 0 ? '' : value[kind] + (kind === 'number' ? row : ''),
      ),
    );
    const text = rows.map((cells) => `${cells.join(',')}\n`).join('');
    for (const choice of CHOICES) {
      const expected = referenceLines(
        rows.map((cells) => cells.map((cell) => Buffer.from(cell))),
        schema,
        { times: 'int', numbers: 'double', ...choice },
      );
      for (const count of [1, 2, 4, 9]) {
        assert.equal(await linesOf(text, { ...choice, schema, rows: count }), expected);
        const crlf = text.replaceAll('\n', '\r\n');
        assert.equal(await linesOf(crlf, { ...choice, schema, rows: count }), expected);
        assert.equal(await linesOf(text.slice(0, -1), { ...choice, schema, rows: count }), expected);
        assert.equal(await linesOf(crlf.slice(0, -1), { ...choice, schema, rows: count }), expected);
      }
    }
  }
});

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const decimal = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    fc.oneof(digits(1, 25), digits(1, 9), fc.constant('0')),
    fc.option(fc.oneof(digits(1, 25), digits(1, 8))),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat({ max: 200 })), { freq: 3 }),
  )
  .map(([sign, whole, part, exponent]) =>
    [sign, whole, part === null ? '' : `.${part}`, exponent?.join('') ?? ''].join(''),
  );
const CELLS = {
  time: fc.oneof(fc.maxSafeInteger().map(String), fc.constantFrom('-0', '007', '1585699200245000')),
  number: fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
  boolean: fc.constantFrom('true', 'false'),
  text: fc.oneof(
    fc.constantFrom('buy', 'sell'),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map((text) => text.replace(/[",\r\n]/g, '.')),
  ),
};

test('formats random cells of every kind like the reference', async () => {
  for (const dataType of ['incremental_book_L2', 'trades', 'derivative_ticker', 'options_chain']) {
    const schema = dataTypeColumns(dataType) ?? [];
    const row = fc.tuple(
      ...schema.map(({ kind }, i) => (i < 4 ? CELLS[kind] : fc.option(CELLS[kind], { nil: '', freq: 4 }))),
    );
    await fc.assert(
      fc.asyncProperty(
        alikeRows(row, 20),
        fc.constantFrom(...CHOICES),
        fc.integer({ min: 1, max: 20 }),
        async (rows, choice, count) => {
          const cells = rows.map((of) => of.map((cell) => Buffer.from(cell)));
          const expected = referenceLines(cells, schema, { times: 'int', numbers: 'double', ...choice });
          const text = rows.map((of) => `${of.join(',')}\n`).join('');
          assert.equal(await linesOf(text, { ...choice, schema, rows: count }), expected);
        },
      ),
      { numRuns: rounds(60) },
    );
  }
});

test('formats random files, valid and invalid, by cells and in pieces, like the reference', async () => {
  for (let round = 0; round < 200; round++) {
    await ndjsonTarget.round(seededRandom('ndjson', round), () => {});
  }
});

test('keeps the digits of real samples', { skip: NO_SAMPLES }, async () => {
  for (const name of SAMPLES) {
    const csv = readFileSync(join(SAMPLES_DIR, name));
    const dataType = DATA_TYPES.findLast((type) => name.includes(`_${type}_`)) ?? '';
    const schema = dataTypeColumns(dataType) ?? [];
    const text = csv.subarray(csv.indexOf(10) + 1);
    const { rows, error } = referenceRows(text, schema, name, 2);
    assert.equal(error, undefined);
    for (const choice of CHOICES) {
      const expected = referenceLines(rows, schema, { times: 'int', numbers: 'double', ...choice });
      assert.ok((await linesOf(text, { ...choice, schema, rows: 1000 })) === expected, name);
    }
  }
});

test('keeps the bytes of a batch valid while the next one is formatted', async () => {
  const schema = between('number');
  const options = createOutputOptions('ndjson', {});
  const kernel = await createBatchKernel({ source: 'x', schema, options });
  const fill = (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, i) => `p,${from + i},q\n`).join('');
    kernel.parse(Buffer.from(kernel.getPieceBuffer().buffer, kernel.getPieceBuffer().byteOffset).write(rows));
  };
  const numbers = (bytes: Uint8Array | undefined) =>
    Buffer.from(bytes ?? [])
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).x);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  fill(0, 10_000);
  fill(10_000, 30_000);
  const first = kernel.finish();
  fill(30_000, 30_020);
  const second = kernel.finish();
  assert.deepEqual(numbers(first?.bytes), range(0, 30_000));
  assert.deepEqual(numbers(second?.bytes), range(30_000, 30_020));
  assert.deepEqual([first?.rows, second?.rows], [30_000, 20]);
  assert.equal(kernel.finish(), undefined);
  assert.equal(kernel.line, 2 + 30_020);
});

test('formats long cells with escapes, equally for pieces of any size', async () => {
  const schema = between('text');
  const cells = Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(1_000_000, i % 2 ? '\u0001' : 'x'));
  const expected = cells.map((cell) => `{"a":"p","x":${JSON.stringify(cell)},"b":"q"}\n`).join('');
  const text = cells.map((cell) => `p,${cell},q\n`).join('');
  for (const rows of [1, 2]) assert.ok((await linesOf(text, { schema, rows })) === expected);
});
