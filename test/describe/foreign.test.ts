import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Inspection, inspectFile } from '../../src/describe/inspect-file.js';
import { duckOfFile } from '../format/parquet/readers.js';
import { tempDir } from '../helpers/temp.js';

const duck = duckOfFile();

const signal = new AbortController().signal;
const START = 1583020800000000;
const ROWS = 5000;
const TABLE = `SELECT 'S' || (i % 3) AS symbol, make_timestamptz(${START} + i * 1000 + (i % 7) * 300) AS local_timestamp,
  i / 3.0::DOUBLE AS price, CASE WHEN i % 5 > 0 THEN i END::INTEGER AS n, i % 2 = 0 AS even FROM range(${ROWS}) t(i)`;

async function inspectWritten(path: string, select: string, options = ''): Promise<Inspection> {
  await duck.query(`COPY (${select}) TO '${path}' (FORMAT parquet ${options})`);
  return inspectFile({ path, signal });
}

for (const codec of ['zstd', 'snappy', 'gzip', 'brotli', 'lz4_raw', 'uncompressed']) {
  for (const version of ['V1', 'V2']) {
    test(`reads files by DuckDB with ${codec} and pages ${version}`, async (t) => {
      const path = join(await tempDir(t), 'x.parquet');
      const options = `, CODEC '${codec}', PARQUET_VERSION '${version}', ROW_GROUP_SIZE 2048`;
      const { columns, first, last, ...inspection } = await inspectWritten(path, TABLE, options);
      assert.deepEqual([inspection.rows, inspection.rowGroups, inspection.unread], [ROWS, 3, undefined]);
      assert.deepEqual(
        columns.map(({ name, type, nulls, min, max }) => [name, type, nulls, min, max]),
        [
          ['symbol', 'string', 0, 'S0', 'S2'],
          ['local_timestamp', 'timestamp', 0, START, START + 4999 * 1000 + 300],
          ['price', 'double', 0, 0, 4999 / 3],
          ['n', 'int32', 1000, 1, 4999],
          ['even', 'boolean', 0, false, true],
        ],
      );
      assert.deepEqual(inspection.timeRange, { from: START, to: START + 4999 * 1000 + 300 });
      assert.deepEqual(inspection.largestGap, { microseconds: 1300, from: START });
      assert.equal(inspection.outOfOrder, 714);
      assert.deepEqual(first[1], ['S1', START + 1300, 1 / 3, 1, false]);
      assert.deepEqual(last[4], ['S1', START + 4999 * 1000 + 300, 4999 / 3, 4999, false]);
      assert.deepEqual([first.length, last.length], [5, 5]);
    });
  }
}

const TIMES: Readonly<Record<string, readonly [type: string, range: readonly [number, number] | undefined]>> =
  {
    TIMESTAMP: ['timestamp', [START, START + 9000]],
    TIMESTAMP_MS: ['timestamp', [START, START + 9000]],
    TIMESTAMP_NS: ['timestamp', [START, START + 9000]],
    BIGINT: ['int64', [START, START + 9000]],
    DATE: ['date', undefined],
    VARCHAR: ['string', undefined],
  };
for (const [sql, [type, range]] of Object.entries(TIMES)) {
  test(`reads local_timestamp as ${sql}`, async (t) => {
    const time = sql === 'BIGINT' ? `${START} + i * 1000` : `make_timestamp(${START} + i * 1000)`;
    const path = join(await tempDir(t), 'x.parquet');
    const inspection = await inspectWritten(
      path,
      `SELECT (${time})::${sql} AS local_timestamp FROM range(10) t(i)`,
    );
    assert.equal(inspection.columns[0]?.type, type);
    assert.deepEqual(inspection.timeRange, range && { from: range[0], to: range[1] });
    const [[first] = []] = inspection.first;
    if (range) assert.deepEqual([inspection.columns[0].min, first], [START, START]);
    else assert.match(String(first), /^2020-03-01/);
  });
}

test('reads types that day files never have', async (t) => {
  const path = join(await tempDir(t), 'x.parquet');
  const { columns, first } = await inspectWritten(
    path,
    `SELECT 200::UTINYINT AS a, 18446744073709551615::UBIGINT AS b, 1.25::DECIMAL(9, 4) AS c, DATE '2024-03-01' AS d,
       uuid() AS e, -3::TINYINT AS f, 1.5::FLOAT AS g, TIME '10:00:00' AS h, NULL::INTEGER AS i, 'x'::BLOB AS j`,
  );
  assert.deepEqual(
    columns.map(({ type, min }) => [type, min]),
    [
      ['uint8', 200],
      ['uint64', '18446744073709551615'],
      ['decimal(9,4)', undefined],
      ['date', '2024-03-01'],
      ['uuid', undefined],
      ['int8', -3],
      ['float', 1.5],
      ['time', undefined],
      ['int32', undefined],
      ['byteArray', undefined],
    ],
  );
  assert.deepEqual(first[0]?.slice(0, 4), [200, '18446744073709551615', 1.25, '2024-03-01']);
});

test('shows the footer if columns are nested or data cannot be read, and states why', async (t) => {
  const dir = await tempDir(t);
  const nested = await inspectWritten(join(dir, 'a.parquet'), "SELECT [1, 2] AS l, {'x': 3} AS s, 4 AS n");
  assert.deepEqual(
    nested.columns.map(({ name, max }) => [name, max]),
    [
      ['l.list.element', 2],
      ['s.x', 3],
      ['n', 4],
    ],
  );
  assert.deepEqual([nested.unread, nested.first], ['its columns are nested', []]);
  const unread = await inspectWritten(join(dir, 'b.parquet'), 'SELECT INTERVAL 1 DAY AS i, 4 AS n');
  assert.match(unread.unread ?? '', /interval/);
  assert.deepEqual([unread.rows, unread.columns[1]?.max], [1, 4]);
});
