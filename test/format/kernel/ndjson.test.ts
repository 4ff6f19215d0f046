import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { columnsOf, DATA_TYPES } from '../../../src/dataset/data-types.js';
import { createBatchKernel } from '../../../src/format/kernel/batch-kernel.js';
import { convertOptions } from '../../../src/format/options.js';
import { seededRandom } from '../../../src/sandbox/market/random.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { alikeRows } from '../alike-rows.js';
import { referenceLines } from '../reference/ndjson.js';
import { referenceRows } from '../reference/rows.js';
import { between, type LineChoice, linesOf } from './helpers.js';
import { ndjsonTarget } from './ndjson-target.js';

const ROW = 'deribit,BTC-PERPETUAL,1585699200245000,1585699200355684,a1,buy,6421.5,18640';
const CHOICES: readonly LineChoice[] = [
  { times: 'int', numbers: 'double' },
  { times: 'iso', numbers: 'string' },
  { times: 'iso', numbers: 'double' },
  { times: 'int', numbers: 'string' },
];

/** What the cell of a kind becomes, between two others. */
async function cellOf(kind: 'time' | 'number' | 'text', cell: string | Buffer, choice: LineChoice = {}) {
  const text = Buffer.concat([Buffer.from('p,'), Buffer.from(cell), Buffer.from(',q\n')]);
  const line = await linesOf(text, { ...choice, schema: between(kind) });
  return /^\{"a":"p","x":(.*),"b":"q"\}\n$/s.exec(line)?.[1];
}

test('a row is a line, its keys in the order of the columns', async () => {
  assert.equal(
    await linesOf(`${ROW}\n`),
    '{"exchange":"deribit","symbol":"BTC-PERPETUAL","timestamp":1585699200245000,' +
      '"local_timestamp":1585699200355684,"id":"a1","side":"buy","price":6421.5,"amount":18640}\n',
  );
});

test('numbers keep their digits, but for leading zeros', async () => {
  const same = ['0.00004405208333333333', '11650', '1.50', '0', '-0', '0e5', '1E-7', '-0.0', '1e+21', '5'];
  const sizes = [14, 15, 16, 17, 63, 64, 65].flatMap((size) => [
    '7'.repeat(size),
    `-${'7'.repeat(size - 1)}`,
    `0.${'7'.repeat(size - 2)}`,
    `${'7'.repeat(size - 2)}.7`,
    `${'7'.repeat(size - 4)}e-30`,
  ]);
  for (const cell of [...same, ...sizes]) {
    assert.equal(await cellOf('number', cell), cell);
    assert.equal(await cellOf('number', cell, { numbers: 'string' }), `"${cell}"`);
  }
  const changed = {
    '007': '7',
    '-00': '-0',
    '00.50': '0.50',
    '-012e3': '-12e3',
    '000': '0',
    '007.50': '7.50',
  };
  for (const [cell, digits] of Object.entries(changed)) {
    assert.equal(await cellOf('number', cell), digits);
    assert.equal(await cellOf('number', cell, { numbers: 'string' }), `"${cell}"`);
  }
  assert.equal(await cellOf('number', ''), 'null');
  assert.equal(await cellOf('number', '', { numbers: 'string' }), 'null');
});

test('times are integers, or ISO 8601 exact to the microsecond', async () => {
  const times = {
    '1709251200123456': '2024-03-01T00:00:00.123456Z',
    '1000000000000000': '2001-09-09T01:46:40.000000Z',
    '951782400000000': '2000-02-29T00:00:00.000000Z',
    '8999999999999999': '2255-03-14T15:59:59.999999Z',
    '9007199254740991': '2255-06-05T23:47:34.740991Z',
    '-9007199254740991': '1684-07-28T00:12:25.259009Z',
    '-1': '1969-12-31T23:59:59.999999Z',
    '0': '1970-01-01T00:00:00.000000Z',
  };
  for (const [cell, iso] of Object.entries(times)) {
    assert.equal(await cellOf('time', cell), cell);
    assert.equal(await cellOf('time', cell, { times: 'iso' }), `"${iso}"`);
  }
  assert.equal(await cellOf('time', '-0'), '0');
  assert.equal(await cellOf('time', '0001709251200123'), '1709251200123');
  assert.equal(await cellOf('time', '', { times: 'iso' }), 'null');
});

test('the first microsecond of each day has its date, and the last one too', async () => {
  const days = Array.from({ length: 92_000 }, (_, i) => (11_575 + i) * 86_400_000_000);
  const rows = days.flatMap((day) => [`p,${day},q\n`, `p,${day + 86_399_999_999},q\n`]).join('');
  const expected = days.flatMap((day) => {
    const date = new Date(day / 1000).toISOString().slice(0, 10);
    return ['00:00:00.000000', '23:59:59.999999'].map((time) => `{"a":"p","x":"${date}T${time}Z","b":"q"}\n`);
  });
  const lines = await linesOf(rows, { times: 'iso', schema: between('time'), rows: 50_000 });
  assert.ok(lines === expected.join(''));
});

test('text of any kind survives, at every place in 16 bytes', async () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const odd = [
    '\\',
    '\\"',
    controls.replace('\n', ''),
    '\u007f',
    'ä€😀',
    '\u2028',
    ' x ',
    '',
    '\r',
    '\ufeff',
  ];
  for (const text of odd.filter((cell) => !cell.includes('"'))) {
    for (let before = 0; before <= 33; before++) {
      for (const after of [0, 1, 15, 16, 17]) {
        const cell = 'y'.repeat(before) + text + 'z'.repeat(after);
        const expected = cell === '' ? 'null' : JSON.stringify(cell);
        assert.equal(await cellOf('text', cell), expected);
      }
    }
  }
});

test('rows that begin alike, with an empty cell among them, are what they are alone', async () => {
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

test('rows are the same in pieces of any number of rows, with CRLF, and without a last LF', async () => {
  for (const dataType of DATA_TYPES) {
    const schema = columnsOf(dataType) ?? [];
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

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });
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

test('random cells of every kind become what the reference has', async () => {
  for (const dataType of ['incremental_book_L2', 'trades', 'derivative_ticker', 'options_chain']) {
    const schema = columnsOf(dataType) ?? [];
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
      { numRuns: 60 },
    );
  }
});

test('random files, whole and broken, cell by cell and in pieces, are as the reference has them', async () => {
  for (let round = 0; round < 200; round++) {
    await ndjsonTarget.round(seededRandom('ndjson', round), () => {});
  }
});

test('real samples, digit for digit', { skip: NO_SAMPLES }, async () => {
  for (const name of SAMPLES) {
    const csv = readFileSync(join(SAMPLES_DIR, name));
    const dataType = DATA_TYPES.findLast((type) => name.includes(`_${type}_`)) ?? '';
    const schema = columnsOf(dataType) ?? [];
    const text = csv.subarray(csv.indexOf(10) + 1);
    const { rows, error } = referenceRows(text, schema, name, 2);
    assert.equal(error, undefined);
    for (const choice of CHOICES) {
      const expected = referenceLines(rows, schema, { times: 'int', numbers: 'double', ...choice });
      assert.ok((await linesOf(text, { ...choice, schema, rows: 1000 })) === expected, name);
    }
  }
});

test('a batch has no more rows than it may, and stays whole while the next one is made', async () => {
  const schema = between('number');
  const kernel = await createBatchKernel({ source: 'x', schema, options: convertOptions('ndjson', {}) });
  const most = Math.floor((64 * 1024) / 3);
  const fill = (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, i) => `p,${from + i},q\n`).join('');
    return kernel.take(Buffer.from(kernel.piece().buffer, kernel.piece().byteOffset).write(rows));
  };
  const numbers = (bytes: Uint8Array | undefined) =>
    Buffer.from(bytes ?? [])
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).x);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  assert.deepEqual(fill(0, most), []);
  const early = fill(most, 2 * most + 10);
  assert.deepEqual(
    early.map(({ rows }) => rows),
    [most, most],
  );
  assert.deepEqual(
    early.flatMap(({ bytes }) => numbers(bytes)),
    range(0, 2 * most),
  );
  const first = kernel.finish();
  fill(0, 20);
  const second = kernel.finish();
  assert.deepEqual(numbers(first?.bytes), range(2 * most, 2 * most + 10));
  assert.deepEqual([first?.rows, second?.rows], [10, 20]);
  assert.equal(kernel.finish(), undefined);
  assert.equal(kernel.line, 2 + 2 * most + 30);
});

test('long cells, longer still by their escapes: batches end early, alike in pieces of any size', async () => {
  const schema = between('text');
  const cells = Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(1_000_000, i % 2 ? '\u0001' : 'x'));
  const expected = Buffer.from(
    cells.map((cell) => `{"a":"p","x":${JSON.stringify(cell)},"b":"q"}\n`).join(''),
  );
  const sizes = async (perPiece: number): Promise<readonly number[]> => {
    const options = convertOptions('ndjson', {});
    const kernel = await createBatchKernel({ source: 'x', schema, options });
    const batches = [];
    for (let i = 0; i < cells.length; i += perPiece) {
      const text = Buffer.from(
        cells
          .slice(i, i + perPiece)
          .map((cell) => `p,${cell},q\n`)
          .join(''),
      );
      kernel.piece().set(text);
      batches.push(...kernel.take(text.length));
    }
    const last = kernel.finish();
    if (last) batches.push(last);
    assert.ok(Buffer.concat(batches.map(({ bytes }) => bytes)).equals(expected));
    return batches.map(({ rows }) => rows);
  };
  const rows = await sizes(1);
  assert.ok(rows.length > 1);
  assert.deepEqual(await sizes(2), rows);
});

test('compressed batches are frames that follow each other', async () => {
  const options = convertOptions('ndjson', { compression: 'gzip' });
  const kernel = await createBatchKernel({ source: 'x', schema: columnsOf('trades') ?? [], options });
  const parts = [1, 2].map(() => {
    kernel.piece().set(Buffer.from(`${ROW}\n`));
    kernel.take(ROW.length + 1);
    return kernel.finish()?.bytes ?? new Uint8Array();
  });
  const line = await linesOf(ROW);
  assert.equal(gunzipSync(Buffer.concat(parts)).toString(), line + line);
});
