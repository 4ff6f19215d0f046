import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { REFUSED_ROWS, ROW, withCell } from '../trades.js';
import { linesOf } from './lines-of.js';

const file = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');

for (const [name, bad, message] of REFUSED_ROWS) {
  test(`refuses ${name}`, async () => {
    for (const rows of [1, 100]) {
      for (const choice of [{}, { times: 'iso', numbers: 'string' } as const]) {
        const refusal = { name: 'TickhaulError', code: 'corrupt', message };
        await assert.rejects(linesOf(file(...bad), { ...choice, rows }), refusal);
      }
    }
  });
}

test('refuses text that is not UTF-8', async () => {
  const text = Buffer.from(file(withCell(4, 'ÿþ')), 'latin1');
  await assert.rejects(linesOf(text), { code: 'corrupt', message: /line 2, column id: ".*" is not UTF-8/ });
});

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
