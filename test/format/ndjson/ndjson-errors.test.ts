import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { ROW, withCell } from '../trades.js';
import { linesOf } from './lines-of.js';

const file = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');

const refused: readonly (readonly [name: string, text: string | Buffer, message: RegExp])[] = [
  [
    'too few cells',
    file(ROW, ROW.slice(0, -6)),
    /line 3, column price: "6421.5" ends the line: 7 cells where the/,
  ],
  [
    'too many cells',
    file(ROW, ROW, `${ROW},1`),
    /line 4, column amount: "18640" is followed by more cells: 9/,
  ],
  [
    'a missing cell in the middle',
    file(ROW.replace(',buy', '')),
    /line 2, column price: "18640" ends the line: 7/,
  ],
  ['a blank line', file(ROW, '', ROW), /line 3, column exchange: the line is blank/],
  ['a blank line with a CR', file(ROW, '\r', ROW), /line 3, column exchange: the line is blank/],
  [
    'a letter in a number',
    file(ROW, withCell(6, '12x')),
    /line 3, column price: "12x" is not a decimal number/,
  ],
  ['a point without digits after', file(withCell(6, '3.')), /line 2, column price: "3\." is not a decimal/],
  ['a point without digits before', file(withCell(6, '.5')), /line 2, column price: "\.5" is not a decimal/],
  ['two points', file(withCell(6, '1.2.3')), /line 2, column price: "1\.2\.3" is not a decimal/],
  ['a plus', file(withCell(6, '+5')), /line 2, column price: "\+5" is not a decimal/],
  ['a lone minus', file(withCell(7, '-')), /line 2, column amount: "-" is not a decimal/],
  ['a minus within', file(withCell(7, '1-2')), /line 2, column amount: "1-2" is not a decimal/],
  ['an exponent without digits', file(withCell(7, '1e-')), /line 2, column amount: "1e-" is not a decimal/],
  ['NaN', file(withCell(7, 'NaN')), /line 2, column amount: "NaN" is not a decimal/],
  [
    'a number outside the range',
    file(withCell(7, '1e999')),
    /line 2, column amount: "1e999" is outside the range of a double/,
  ],
  ['a number too long', file(withCell(7, '1'.repeat(1025))), /column amount: "1{39}…" is not a decimal/],
  [
    'a time outside the range',
    file(withCell(2, '9007199254740992')),
    /line 2, column timestamp: "9007199254740992" is/,
  ],
  [
    'a time of 17 digits',
    file(withCell(2, '15856992002450001')),
    /column timestamp: "15856992002450001" is outside/,
  ],
  [
    'a time with a fraction',
    file(withCell(3, '1585699200.5')),
    /line 2, column local_timestamp: ".*" is not a time/,
  ],
  [
    'an empty leading column',
    file(ROW, withCell(1, '')),
    /line 3, column symbol: "" is empty, but a value is required/,
  ],
  [
    'text that is not UTF-8',
    Buffer.from(file(withCell(4, 'ÿþ')), 'latin1'),
    /line 2, column id: ".*" is not UTF-8/,
  ],
];

for (const [name, text, message] of refused) {
  test(`refuses ${name}`, async () => {
    for (const rows of [1, 100]) {
      for (const choice of [{}, { times: 'iso', numbers: 'string' } as const]) {
        const refusal = { name: 'TickhaulError', code: 'corrupt', message };
        await assert.rejects(linesOf(text, { ...choice, rows }), refusal);
      }
    }
  });
}

test('refuses an empty cell by the name of its column, in any column order', async () => {
  const schema = [...(dataTypeColumns('trades') ?? [])].reverse();
  await assert.rejects(linesOf(file(ROW.split(',').with(0, '').reverse().join(',')), { schema }), {
    message: /line 2, column exchange: "" is empty, but a value is required/,
  });
  assert.match(
    await linesOf(file(ROW.split(',').with(7, '').reverse().join(',')), { schema }),
    /"amount":null/,
  );
});

test('refuses other words for a boolean', async () => {
  const schema = dataTypeColumns('incremental_book_L2') ?? [];
  for (const cell of ['truE', 'tru', 'truee', 'fals', 'falsy', 'falsee', '1']) {
    await assert.rejects(linesOf(file(withCell(4, cell)), { schema }), {
      message: new RegExp(`line 2, column is_snapshot: "${cell}" is neither true nor false`),
    });
  }
});

test('advances the line with each row, also within quotes', async () => {
  const options = createOutputOptions('ndjson', {});
  const kernel = await createBatchKernel({
    source: 'a/b.csv.gz',
    schema: dataTypeColumns('trades') ?? [],
    options,
  });
  const put = (text: string) => {
    kernel.getPieceBuffer().set(Buffer.from(text));
    return text.length;
  };
  kernel.line = 1001;
  kernel.parse(put(file(ROW, ROW)));
  kernel.appendRow(
    ROW.split(',')
      .with(4, 'two\nlines')
      .map((cell) => Buffer.from(cell)),
  );
  assert.equal(kernel.line, 1005);
  const cells = ROW.split(',')
    .with(7, 'x')
    .map((cell) => Buffer.from(cell));
  const message =
    'a/b.csv.gz: line 1005, column amount: "x" is not a decimal number; download the file again with --existing overwrite';
  assert.throws(() => kernel.appendRow(cells), { message });
  assert.throws(() => kernel.appendRow(cells.slice(0, 3)), {
    message: /line 1005, column timestamp: .* 3 cells where/,
  });
});
