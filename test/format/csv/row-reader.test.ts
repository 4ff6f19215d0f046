import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATA_TYPES, dataTypeColumns, LEADING_COLUMNS } from '../../../src/day-files/data-types.js';
import { fileOf, HEADER, ROW, withCell } from '../trades.js';
import { decodeTextAt, parseCsv, type Value } from './helpers.js';

const VALUES: readonly Value[] = [
  'deribit',
  'BTC-PERPETUAL',
  1585699200245000,
  1585699200355684,
  'a1',
  'buy',
  6421.5,
  18640,
];

test('parses cells by the kind of their column', () => {
  const { rows, schema, warning } = parseCsv(fileOf(ROW, withCell(4, ''), withCell(6, '')));
  assert.deepEqual(schema, dataTypeColumns('trades'));
  assert.equal(warning, undefined);
  assert.deepEqual(rows, [VALUES, VALUES.with(4, null), VALUES.with(6, null)]);
});

test('an empty cell stays empty in rows with equal first cells', () => {
  const rows = [ROW, withCell(5, ''), withCell(5, ''), ROW, withCell(4, ''), withCell(4, ''), ROW];
  const values = [5, 5, 4, 4].map((column) => VALUES.with(column, null));
  const expected = [VALUES, ...values.slice(0, 2), VALUES, ...values.slice(2), VALUES];
  assert.deepEqual(parseCsv(fileOf(...rows)).rows, expected);
});

test('CRLF, a missing final LF and quotes do not change the rows', () => {
  const csv = fileOf(ROW, withCell(7, '-0.5'), withCell(7, ''));
  const { rows } = parseCsv(csv);
  assert.deepEqual(parseCsv(csv.replaceAll('\n', '\r\n')).rows, rows);
  assert.deepEqual(parseCsv(csv.slice(0, -1)).rows, rows);
  assert.deepEqual(parseCsv(csv.replaceAll('a1', '"a1"')).rows, rows);
  assert.deepEqual(parseCsv(csv.replace('exchange', '"exchange"').replaceAll('\n', '\r\n')).rows, rows);
});

test('quoted cells may contain commas, quotes and line feeds', () => {
  const { rows } = parseCsv(fileOf(ROW, withCell(4, '"a,""b""\nc"'), ROW), { chunks: [1] });
  assert.deepEqual(
    rows.map((row) => row[4]),
    ['a1', 'a,"b"\nc', 'a1'],
  );
});

test('a CR in the last text cell belongs to the text, except at the line end', () => {
  const lines = ['x\r\r', 'x\r', 'x', 'x\r\r'];
  const csv = `${HEADER},note\n${lines.map((note) => `${ROW},${note}\n`).join('')}`;
  const expected = ['x\r', 'x', 'x', 'x\r'];
  assert.deepEqual(
    parseCsv(csv).rows.map((row) => row[8]),
    expected,
  );
  assert.deepEqual(
    parseCsv(csv.replace('exchange', '"exchange"')).rows.map((row) => row[8]),
    expected,
  );
});

test('finds columns by name; unknown ones are text, with one warning', () => {
  const csv = 'side,new,exchange,amount,symbol,local_timestamp,timestamp,price,id\nbuy,007,x,1,S,3,2,4.5,i\n';
  const { rows, warning, schema } = parseCsv(csv);
  assert.deepEqual(rows, [['buy', '007', 'x', 1, 'S', 3, 2, 4.5, 'i']]);
  assert.equal(schema[1]?.kind, 'text');
  assert.match(warning ?? '', /day\.csv\.gz: .*new/);
});

test('an unknown data type keeps its columns as text', () => {
  const { rows } = parseCsv(fileOf(ROW), { dataType: 'sentiments' });
  assert.deepEqual(rows, [VALUES.with(6, '6421.5').with(7, '18640')]);
});

test('an empty day has the schema of its data type', () => {
  for (const dataType of DATA_TYPES) {
    assert.deepEqual(parseCsv('', { dataType }), {
      schema: dataTypeColumns(dataType),
      rows: [],
      warning: undefined,
      batches: [],
    });
  }
  assert.deepEqual(parseCsv('', { dataType: 'sentiments' }).schema, LEADING_COLUMNS);
  for (const csv of [HEADER, `${HEADER}\n`, `${HEADER}\r\n`]) {
    assert.deepEqual(parseCsv(csv), {
      schema: dataTypeColumns('trades'),
      rows: [],
      warning: undefined,
      batches: [],
    });
  }
});

test('batches have the requested rows', () => {
  const { batches } = parseCsv(fileOf(...Array(25).fill(ROW)), { batchRows: 10, chunks: [7] });
  assert.deepEqual(
    batches.map(({ rows }) => rows),
    [10, 10, 5],
  );
  const [first] = batches;
  assert.ok(first);
  assert.deepEqual(first.columns[7], {
    kind: 'number',
    values: new Float64Array(10).fill(18640),
    text: undefined,
    nulls: undefined,
    nullCount: 0,
  });
});

test('repeated texts use a dictionary and ids are plain, with nulls and after a change of encoding', () => {
  const ids = Array.from({ length: 3000 }, (_, i) =>
    i % 7 === 0 ? '' : i < 500 ? `r${i % 9}` : `id-${i * 7919}`,
  );
  const { batches, rows } = parseCsv(fileOf(...ids.map((id) => withCell(4, id))), { batchRows: 3000 });
  const column = batches[0]?.columns;
  assert.ok(column?.[0]?.kind === 'text' && column[0].encoding === 'dictionary');
  assert.equal(decodeTextAt(column[0].dictionary, 0), 'deribit');
  assert.equal(column[0].dictionary.offsets.length, 2);
  assert.ok(column[4]?.kind === 'text' && column[4].encoding === 'plain');
  assert.deepEqual(
    rows.map((row) => row[4]),
    ids.map((id) => id || null),
  );
});

test('a dictionary grows for thousands of repeated values', () => {
  const symbols = Array.from({ length: 20_000 }, (_, i) => `OPTION-${(i * 31) % (i < 4000 ? 900 : 4000)}-é`);
  const { rows, batches } = parseCsv(fileOf(...symbols.map((symbol) => withCell(1, symbol))), {
    batchRows: 20_000,
  });
  const column = batches[0]?.columns[1];
  assert.ok(column?.kind === 'text' && column.encoding === 'dictionary');
  assert.equal(column.dictionary.offsets.length - 1, new Set(symbols).size);
  assert.deepEqual(
    rows.map((row) => row[1]),
    symbols,
  );
});

test('keeps the text of numbers if requested', () => {
  const digits = ['0.00004405208333333333', '1.50', '', '12345678901234567890.123', '-0', '1e-7'];
  const { batches } = parseCsv(fileOf(...digits.map((cell) => withCell(6, cell))), { numberText: 'all' });
  const column = batches[0]?.columns[6];
  assert.ok(column?.kind === 'number' && column.text);
  const { text } = column;
  assert.deepEqual(
    digits.map((_, i) => decodeTextAt(text, i)),
    digits,
  );
});

test('keeps the text of long numbers only, if requested', () => {
  const short = ['0.5', '123456789012345', '', '-0.0000000000000000000123', '00000000000000000001.50'];
  const long = [
    '1234567890123456',
    '1e-7',
    '0.00004405208333333333',
    '0.30000000000000004',
    '-0.00000000000000000000000',
  ];
  const cells = [...short, ...long, ...short];
  const numbers = { numberText: 'long' } as const;
  const { batches } = parseCsv(fileOf(...cells.map((cell) => withCell(6, cell))), numbers);
  const column = batches[0]?.columns[6];
  assert.ok(column?.kind === 'number' && column.text);
  const { text } = column;
  assert.deepEqual(
    cells.map((_, i) => decodeTextAt(text, i)),
    cells.map((cell) => (long.includes(cell) ? cell : '')),
  );
  const [withoutLong] = parseCsv(fileOf(...short.map((cell) => withCell(6, cell))), numbers).batches;
  const shortColumn = withoutLong?.columns[6];
  assert.ok(shortColumn?.kind === 'number' && shortColumn.text === undefined);
});

test('a batch with too much text ends early, equally for every chunking', () => {
  const rows = Array.from({ length: 80 }, (_, i) => withCell(4, `${i}`.padEnd(900_000, 'x')));
  const sizes = [1 << 20, 777_777].map((size) =>
    parseCsv(fileOf(...rows), { chunks: [size] }).batches.map((batch) => batch.rows),
  );
  assert.ok((sizes[0]?.length ?? 0) > 1);
  assert.deepEqual(sizes[0], sizes[1]);
});
