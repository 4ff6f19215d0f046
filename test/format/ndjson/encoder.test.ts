import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf } from '../../../src/dataset/data-types.js';
import { createNdjsonEncoder } from '../../../src/format/ndjson/encoder.js';
import { alikeRows } from '../alike-rows.js';
import { expectedRows, parseLines, quoted, toNdjson } from './helpers.js';

const TRADES = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';

/** The value of the price column, as its line has it. */
function priceOf(cell: string, numbers: 'double' | 'string' = 'double'): string | undefined {
  const { text } = toNdjson(`${TRADES}a,b,1,2,3,buy,${cell},1\n`, { numbers });
  return /"price":(.*),"amount"/.exec(text)?.[1];
}

test('a row is a line, its keys in the order of the columns', () => {
  const csv = `${TRADES}binance,BTCUSDT,1585699200245000,1585699200245001,123,buy,6446.7,0.010\n`;
  assert.equal(
    toNdjson(csv).text,
    '{"exchange":"binance","symbol":"BTCUSDT","timestamp":1585699200245000,"local_timestamp":1585699200245001,' +
      '"id":"123","side":"buy","price":6446.7,"amount":0.010}\n',
  );
});

test('numbers keep their digits, but for leading zeros', () => {
  for (const cell of ['0.00004405208333333333', '11650', '1.50', '0', '-0', '0e5', '1E-7', '-0.0', '1e+21']) {
    assert.equal(priceOf(cell), cell);
  }
  assert.equal(priceOf('12345678901234567890.123456789012345'), '12345678901234567890.123456789012345');
  const changed = { '007': '7', '-00': '-0', '00.50': '0.50', '-012e3': '-12e3', '000': '0', '01': '1' };
  for (const [cell, digits] of Object.entries(changed)) assert.equal(priceOf(cell), digits);
  assert.equal(priceOf(''), 'null');
});

test('numbers as strings are the text to the letter', () => {
  for (const cell of ['0.00004405208333333333', '007.50', '-00', '1E-7']) {
    assert.equal(priceOf(cell, 'string'), `"${cell}"`);
  }
  assert.equal(priceOf('', 'string'), 'null');
});

test('text of any kind survives, in dictionaries and plain', () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const odd = ['"', '\\', '\\"', controls, '\u007f', 'ä€😀', '\u2028', '{"a":1}', 'a,b', ' x '];
  for (const repeat of [1, 300]) {
    const rows = Array.from({ length: 5 * repeat * odd.length }, (_, i) => {
      const text = odd[i % odd.length] ?? '';
      return ['a', 'b', '1', '2', repeat === 1 ? text : `${text}${i}`, text, '1', '1'];
    });
    const csv = TRADES + rows.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
    const { schema, text } = toNdjson(csv, { batchRows: 100_000 });
    assert.deepEqual(parseLines(text), expectedRows(schema, rows));
  }
});

test('controls are written as RFC 8259 has them', () => {
  const { text } = toNdjson(
    `${TRADES}a,b,1,2,\u0000\u001f\t"",buy,1,1\n`.replace('\u0000\u001f\t""', '"\u0000\u001f\t"""'),
  );
  assert.match(text, /"id":"\\u0000\\u001f\\t\\""/);
});

test('keys are escaped', () => {
  const header = TRADES.replace('\n', ',"say ""x\\y"""\n');
  const { text } = toNdjson(`${header}a,b,1,2,3,buy,1,1,z\n`);
  assert.deepEqual((parseLines(text)[0] as Record<string, unknown>)['say "x\\y"'], 'z');
});

test('a batch without the digits of its numbers is refused', () => {
  const schema = [{ name: 'price', kind: 'number' }] as const;
  const column = {
    kind: 'number',
    values: new Float64Array(1),
    text: undefined,
    nulls: undefined,
    nullCount: 0,
  } as const;
  const encode = createNdjsonEncoder(schema, { times: 'int', numbers: 'double', results: 1 });
  assert.throws(() => encode({ rows: 1, columns: [column] }), /numberText/);
});

const maybe = (cell: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 4, arbitrary: cell });
const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(''));
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(1, 20),
    fc.option(digits(1, 20)),
    fc.option(fc.integer({ min: -300, max: 200 })),
  )
  .map(([sign, whole, part, exponent]) =>
    [sign, whole, part === null ? '' : `.${part}`, exponent === null ? '' : `e${exponent}`].join(''),
  );
const time = fc.maxSafeInteger().map((value) => String(value === 0 ? 0 : value));
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const KINDS = {
  time,
  number: decimal,
  boolean: fc.constantFrom('true', 'false'),
  text: fc.oneof(fc.constantFrom('buy', 'sell'), words),
};

test('random cells of every kind parse to what they are', () => {
  for (const dataType of ['incremental_book_L2', 'trades', 'derivative_ticker', 'options_chain']) {
    const schema = columnsOf(dataType) ?? [];
    const row = fc.tuple(...schema.map(({ kind }, i) => (i < 4 ? KINDS[kind] : maybe(KINDS[kind]))));
    fc.assert(
      fc.property(alikeRows(row, 20), fc.integer({ min: 1, max: 25 }), (rows, batchRows) => {
        const lines = [schema.map(({ name }) => name), ...rows].map(
          (cells) => `${cells.map(quoted).join(',')}\n`,
        );
        const { text } = toNdjson(lines.join(''), { dataType, batchRows });
        assert.deepEqual(parseLines(text), expectedRows(schema, rows));
        const strings = toNdjson(lines.join(''), { dataType, batchRows, numbers: 'string' }).text;
        const prices = parseLines(strings).map(
          (line) => (line as Record<string, unknown>)[schema.at(-1)?.name ?? ''],
        );
        assert.deepEqual(
          prices,
          rows.map((cells) => cells.at(-1) || null),
        );
      }),
      { numRuns: 60 },
    );
  }
});
