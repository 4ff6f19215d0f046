import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '../../../src/format/batch.js';
import { RowReader } from '../../../src/format/csv/row-reader.js';
import { copyBatch } from '../../helpers/copy-batch.js';
import { fileOf, HEADER, REFUSED_ROWS, ROW, withCell } from '../trades.js';
import { parseCsv, rowsOf } from './helpers.js';

const refused: readonly (readonly [name: string, csv: string | Buffer, message: RegExp])[] = [
  ...REFUSED_ROWS.map(([name, rows, message]) => [name, fileOf(...rows), message] as const),
  ['a long cell, shortened', fileOf(withCell(6, 'z'.repeat(5000))), /column price: "z{39}…" is not/],
  [
    'text that is not UTF-8',
    Buffer.from(fileOf(withCell(4, 'ÿþ')), 'latin1'),
    /line 2, column id: ".*" is not UTF-8/,
  ],
  ['a missing column', fileOf(ROW).replace(',side', '').replace(',buy', ''), /line 1, column side: missing/],
  ['a name twice', fileOf().replace('side', 'price'), /line 1, column price: the name occurs twice/],
  ['no header', `${ROW}\n${ROW}\n`, /line 1, no header: .*"deribit"/],
  ['an empty name', fileOf().replace(',side', ','), /line 1, no header: "" is not a column name/],
  ['binary junk', Buffer.from('\x1f\x8b\x08\xff\x00\n\x00\x01'.repeat(9), 'latin1'), /line 1, no header/],
  ['junk without a line end', Buffer.alloc(3_000_000, 0xa5), /line 1, the line is longer than/],
  ['a line of 10 MB', fileOf(ROW, withCell(4, 'y'.repeat(10_000_000))), /line 3, the line is longer than/],
  ['a quote left open', fileOf(ROW, withCell(4, '"a'), ROW), /line 3, column id: "deribit.*…" opens a quote/],
  [
    'a quote in the middle',
    fileOf(ROW, withCell(4, 'a"b"'), ROW),
    /line 3, column id: "deribit.*…" has a misplaced quote/,
  ],
  [
    'too few cells after a quote',
    fileOf(withCell(4, '"a\nb"'), 'x,y'),
    /line 4, column symbol: "y" ends the line: 2/,
  ],
  [
    'a bad cell after a quote',
    fileOf(withCell(4, '"a"'), withCell(6, '1,5'), ROW),
    /line 3, column amount: .* 9 cells/,
  ],
  [
    'a word for a boolean',
    `${HEADER.replace('id', 'is_snapshot')}\n${withCell(4, 'truE')}\n`,
    /line 2, column is_snapshot: "truE" is neither/,
  ],
];

for (const [name, csv, message] of refused) {
  test(`refuses ${name}`, () => {
    const dataType = name.includes('boolean') ? 'incremental_book_L2' : 'trades';
    for (const size of [100, 65_536]) {
      assert.throws(() => parseCsv(csv, { chunks: [size], dataType }), {
        name: 'TickhaulError',
        code: 'corrupt',
        message,
      });
    }
  });
}

for (const [name, csv] of refused) {
  test(`yields the rows before ${name}`, () => {
    const dataType = name.includes('boolean') ? 'incremental_book_L2' : 'trades';
    for (const numberText of ['none', 'all', 'long'] as const) {
      const parser = new RowReader({ path: 'day.csv.gz', dataType, batchRows: 10, numberText });
      const text = Buffer.from(csv);
      const batches: Batch[] = [];
      let line = 0;
      try {
        for (const batch of parser.push(text)) batches.push(copyBatch(batch));
        for (const batch of parser.end()) batches.push(copyBatch(batch));
      } catch (error) {
        line = Number(/line (\d+)/.exec(String(error))?.[1]);
      }
      const lines = text
        .toString('latin1')
        .split('\n')
        .slice(0, line - 1);
      const before = parseCsv(Buffer.from(lines.join('\n'), 'latin1'), { dataType, numberText });
      assert.deepEqual(batches.flatMap(rowsOf), before.rows);
    }
  });
}

test('cells of a refused row are not counted', () => {
  for (const quoted of [false, true]) {
    const row = `deribit,OTHER,1585699200245000,1585699200262980,${quoted ? '""' : ''},,6421,x`;
    const csv = fileOf(ROW, row);
    const parser = new RowReader({
      path: 'day.csv.gz',
      dataType: 'trades',
      batchRows: 10,
      numberText: 'all',
    });
    const batches: Batch[] = [];
    assert.throws(() => {
      for (const batch of parser.push(Buffer.from(csv))) batches.push(copyBatch(batch));
    }, /column amount: "x" is not/);
    assert.deepEqual(batches, parseCsv(fileOf(ROW), { numberText: 'all' }).batches);
  }
});

test('a misplaced quote is reported after rows for which the memory grew', () => {
  const header = HEADER.replace('exchange', '"exchange"');
  const csv = Buffer.from(`${header}\n${ROW}\n${ROW}\n${withCell(4, 'a"b"')}\n`);
  const parser = new RowReader({ path: 'day.csv.gz', dataType: 'trades', batchRows: 500_000 });
  const rows: number[] = [];
  assert.throws(() => {
    for (const batch of parser.push(csv)) rows.push(batch.rows);
  }, /line 4, column id: .* has a misplaced quote/);
  assert.deepEqual(rows, [2]);
});

test('every message names the file', () => {
  const parser = new RowReader({ path: 'a/b.csv.gz', dataType: 'trades', batchRows: 10 });
  assert.throws(() => [...parser.push(Buffer.from('x\n'))], { message: /^a\/b\.csv\.gz: line 1, / });
});
