import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatInspection } from '../../../src/cli/output/format-inspection.js';
import { DATA_TYPES } from '../../../src/day-files/data-types.js';
import { type Inspection, inspectFile } from '../../../src/describe/inspect-file.js';
import { csvOf, run, writeDayFile } from '../../convert/day-files.js';
import { succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';

const signal = new AbortController().signal;
const screen = (columns: number) => ({ write: () => {}, isTTY: true, columns });

test('--json is one document, with rows as objects and times in microseconds', async (t) => {
  const path = await writeDayFile(await tempDir(t), 'trades', csvOf('trades', 12));
  const { exitCode, stdout, stderr } = await runHere(['inspect', path, '--json']);
  assert.deepEqual([exitCode, stderr], [0, '']);
  const document = JSON.parse(stdout);
  assert.deepEqual(
    [document.path, document.format, document.dataType, document.rows],
    [path, 'csv', 'trades', 12],
  );
  assert.deepEqual(document.columns[0], {
    name: 'exchange',
    type: 'string',
    nulls: 0,
    min: 'deribit',
    max: 'deribit',
  });
  assert.equal(document.first.length + document.last.length, 10);
  assert.deepEqual(
    Object.keys(document.first[0]),
    document.columns.map(({ name }: { name: string }) => name),
  );
  assert.equal(document.first[0].local_timestamp, document.timeRange.from);
});

test('through a pipe the text is complete and not shortened', async (t) => {
  const path = await writeDayFile(await tempDir(t), 'trades', csvOf('trades', 12));
  const { stdout } = await succeeded(tickhaul(['inspect', path]));
  assert.match(stdout, /^rows +12$/m);
  assert.match(stdout, /^timestamp +timestamp +0 +2024-0\S+\.\d{6}Z +2024-03-01T\S+\.\d{6}Z$/m);
  assert.doesNotMatch(stdout, /…/);
});

let inspected: Promise<readonly Inspection[]> | undefined;

/** A converted file of each data type, for screens of any width. */
function inspectAll(t: TestContext): Promise<readonly Inspection[]> {
  const inspect = async (): Promise<readonly Inspection[]> => {
    const dir = await tempDir(t);
    for (const type of DATA_TYPES) await writeDayFile(dir, type, csvOf(type, 300));
    const { files } = await run([dir]);
    return Promise.all(files.map(({ path }) => inspectFile({ path, signal })));
  };
  inspected ??= inspect();
  return inspected;
}

for (const columns of [40, 80, 100, 132, 200]) {
  test(`no line of a table is longer than a terminal of ${columns} columns`, async (t) => {
    for (const inspection of await inspectAll(t)) {
      const text = formatInspection(inspection, screen(columns));
      const [facts = '', ...tables] = text.split('\n\n');
      assert.match(facts, /^rows +300$/m);
      for (const line of tables.join('\n').split('\n')) {
        assert.ok([...line].length <= columns, line);
      }
    }
  });
}

test('of 104 columns, some are shown with rows, and a note has the number of the others', async (t) => {
  const path = await writeDayFile(await tempDir(t), 'book_snapshot_25', csvOf('book_snapshot_25', 30));
  const text = formatInspection(await inspectFile({ path, signal }), screen(80));
  const [, columns = '', rows = ''] = text.split('\n\n');
  assert.equal(columns.split('\n').length, 105);
  assert.match(rows, /^column +row 1 +row 2 +row 30\n/);
  assert.match(rows, /\n… and 84 more columns; --json shows all\n$/);
});

test('control characters never reach the terminal, and times of the day are shortened', async (t) => {
  const header = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';
  const rows = [
    'deribit,X\u001b[2J,1583020800000001,1583020800000100,b,buy,1.5,1',
    'deribit,X,1583020799000001,1583020801500100,b,buy,1.5,1',
  ];
  const path = await writeDayFile(await tempDir(t), 'trades', [header, ...rows, ''].join('\n'));
  const text = formatInspection(await inspectFile({ path, signal }), screen(80));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f]/);
  assert.match(text, /^largest gap +1\.5s after 2020-03-01T00:00:00\.000100Z$/m);
  assert.match(text, /^timestamp +timestamp +0 +2020-02-29T23:59:… +00:00:00\.000001$/m);
});

test('mistakes and corrupt files end with their exit codes', async (t) => {
  const dir = await tempDir(t);
  const bad = await writeDayFile(dir, 'trades', 'junk');
  for (const [args, code, said] of [
    [[join(dir, 'none.parquet')], 2, /no such file/],
    [[dir], 2, /not a file/],
    [[bad, '--type', 'trade'], 2, /did you mean trades/],
    [[], 2, /an argument is missing/],
    [[bad], 6, /line 1, no header/],
  ] as const) {
    const { exitCode, stderr, stdout } = await runHere(['inspect', ...args]);
    assert.equal(exitCode, code, stderr);
    assert.match(stderr, said);
    assert.equal(stdout, '');
  }
});
