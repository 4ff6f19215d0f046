import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPairs, formatTable, type TableColumn } from '../../../../src/cli/output/text/table.js';
import { longestPiece, textWidth, wrapList } from '../../../../src/cli/output/text/width.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly since: string;
  readonly types: string;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  { title: 'exchange', cell: ({ id }) => id },
  { title: 'name', breaks: true, cell: ({ name }) => name },
  { title: 'since', align: 'right', cell: ({ since }) => since },
  { title: 'data types', breaks: true, cell: ({ types }) => types },
];

const ROWS: readonly Row[] = [
  { id: 'deribit', name: 'Deribit', since: '2019-03-30', types: 'trades,incremental_book_L2,options_chain' },
  { id: 'binance-futures', name: 'Binance USDT Futures', since: '2019-11-17', types: 'trades,quotes' },
];

const TABLES: Readonly<Record<number, string>> = {
  200: `\
exchange         name                       since  data types
deribit          Deribit               2019-03-30  trades,incremental_book_L2,options_chain
binance-futures  Binance USDT Futures  2019-11-17  trades,quotes
`,
  80: `\
exchange         name                       since  data types
deribit          Deribit               2019-03-30  trades,incremental_book_L2,
                                                   options_chain
binance-futures  Binance USDT Futures  2019-11-17  trades,quotes
`,
  40: `\
exchange         name
       since  data types
deribit          Deribit
  2019-03-30  trades,
              incremental_book_L2,
              options_chain
binance-futures  Binance USDT Futures
  2019-11-17  trades,quotes
`,
};

for (const [columns, text] of Object.entries(TABLES)) {
  test(`a table fits ${columns} columns`, () => {
    assert.equal(formatTable(COLUMNS, ROWS, Number(columns)), text);
  });
}

const word = fc.stringMatching(/^[a-z人]{0,12}$/);
const row = fc.record({
  id: word,
  name: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ').trim()),
  since: word,
  types: fc.array(word, { maxLength: 6 }).map((words) => words.join(',')),
});

test('only a single word may exceed the screen, and no word is broken or lost', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 30, max: 200 }),
      (rows, columns) => {
        const text = formatTable(COLUMNS, rows, columns);
        for (const line of text.split('\n')) assert.ok(textWidth(line) <= columns, line);
        const pieces = (cells: string): readonly string[] =>
          cells
            .split(/[\s,]+/)
            .filter((piece) => piece !== '')
            .sort();
        const cells = rows.flatMap((each) => Object.values(each)).join(' ');
        assert.deepEqual(pieces(text), pieces(`exchange name since data types ${cells}`));
      },
    ),
  );
});

test('values of pairs are aligned', () => {
  assert.equal(
    formatPairs(
      [
        ['file', 'a.csv.gz'],
        ['data types', 'trades, quotes, liquidations'],
      ],
      30,
    ),
    'file        a.csv.gz\ndata types  trades, quotes,\n            liquidations\n',
  );
  assert.equal(
    formatPairs(
      [
        ['data type', 'trades'],
        ['from', '2024-03-01T00:00:00Z'],
      ],
      25,
    ),
    'data type  trades\nfrom\n  2024-03-01T00:00:00Z\n',
  );
});

test('wraps at spaces and after commas, into lines as long as possible', () => {
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(' ', ',', ', ')), { minLength: 1 })
    .map((all) => all.flat().join('').trim());
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (whole, columns) => {
      const lines = wrapList(whole, columns);
      const bound = Math.max(columns, longestPiece(whole));
      for (const line of lines) assert.ok(textWidth(line) <= bound);
      assert.equal(lines.join('').replaceAll(' ', ''), whole.replaceAll(' ', ''));
    }),
  );
});
