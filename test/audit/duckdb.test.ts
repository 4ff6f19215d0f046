import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { duckFor } from '../format/parquet/readers.js';
import { runHere } from '../helpers/in-process.js';
import { fenced, projectText } from '../helpers/machine.js';
import { tempDir } from '../helpers/temp.js';
import {
  auditFolder,
  auditHere,
  createDayCsv,
  startRecordHost,
  withDuplicate,
  writeDay,
} from './auditing.js';
import { DAY_START } from './text-rows.js';

/** Counts in SQL, by check, over `rows` with an `n` for the order of the file. Empty cells are null. */
const COUNTS: Readonly<Record<string, string>> = {
  local_order: 'SELECT count(*) FROM (SELECT l < lag(l) OVER (ORDER BY n) AS bad FROM timed) WHERE bad',
  outside_day: `SELECT count(*) FROM timed WHERE l < ${DAY_START} OR l >= ${DAY_START + 86_400_000_000}`,
  exchange_order: `SELECT count(*) FROM (
    SELECT t < max(t) OVER (PARTITION BY symbol ORDER BY n ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) AS bad
    FROM cells WHERE symbol IS NOT NULL AND t IS NOT NULL) WHERE bad`,
  future_timestamp: 'SELECT count(*) FROM cells WHERE t > l',
  missing_value: `SELECT sum((exchange IS NULL)::INT + (symbol IS NULL)::INT + (t IS NULL)::INT + (l IS NULL)::INT
    + (side IS NULL)::INT + (price IS NULL)::INT + (amount IS NULL)::INT) FROM cells`,
  bad_number: `SELECT sum((price::DOUBLE <= 0)::INT) + sum((amount::DOUBLE <= 0)::INT) FROM cells`,
  unknown_side: `SELECT count(*) FROM cells WHERE side NOT IN ('buy', 'sell')`,
  duplicate_id: `SELECT count(*) - count(DISTINCT (symbol, id)) FROM cells WHERE symbol IS NOT NULL AND id IS NOT NULL`,
  price_jump: `SELECT count(*) FROM (
    SELECT price::DOUBLE AS p, lag(price::DOUBLE) OVER (PARTITION BY symbol ORDER BY n) AS q
    FROM cells WHERE symbol IS NOT NULL AND price::DOUBLE > 0) WHERE p > q * 1.1 OR p * 1.1 < q`,
  gap: `SELECT count(*) FROM (
    SELECT clock - lag(clock, 1, ${DAY_START}) OVER (ORDER BY n) AS us FROM (
      SELECT n, coalesce(max(CASE WHEN l >= ${DAY_START} AND l < ${DAY_START + 86_400_000_000} THEN l END)
        OVER (ORDER BY n), ${DAY_START}) AS clock FROM cells
      UNION ALL SELECT 1000000000, ${DAY_START + 86_400_000_000}))
    WHERE us > 60000000 AND us > 100 * 86400000000.0 / (SELECT count(*) FROM cells)`,
};

test('counts what DuckDB counts in SQL', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  const duck = await duckFor(t);
  for (const [seed, faults] of [
    [1, 0.02],
    [3, 0.1],
    [4, 0.05],
  ] as const) {
    const path = await writeDay(dir, 1, createDayCsv(1, { rows: 5000, seed, faults }));
    const { days } = await auditHere(['--offline', '--recheck'], host.env(dir));
    await duck.query(
      `CREATE OR REPLACE VIEW cells AS SELECT *, row_number() OVER () AS n,
      timestamp::BIGINT AS t, local_timestamp::BIGINT AS l
      FROM read_csv('${path}', all_varchar = true, header = true)`,
    );
    await duck.query('CREATE OR REPLACE VIEW timed AS SELECT * FROM cells WHERE l IS NOT NULL');
    for (const [name, sql] of Object.entries(COUNTS)) {
      const [[cell] = []] = await duck.query(sql);
      const count = Number(cell);
      assert.equal(days[0]?.checks?.[name]?.count, count, `${name} of seed ${seed}`);
      if (faults === 0.1) assert.ok(count > 0 || name === 'gap', `${name} counts planted faults`);
    }
  }
});

test('the queries of the page about good days run on the lines of audit --json', async (t) => {
  const { dir, host } = await auditFolder(t);
  await writeDay(dir, 1, createDayCsv(1, { rows: 300, seed: 8 }));
  await writeDay(dir, 2, withDuplicate(createDayCsv(2)));
  const { stdout } = await runHere(['audit', '--json', '--gap', '10m'], { env: host.env(dir) });
  await writeFile(join(dir, 'audit.jsonl'), stdout);
  const duck = await duckFor(t);
  await duck.query(`SET file_search_path = '${dir}'`);
  const [good = '', gaps = ''] = fenced(await projectText('docs/how-to/good-days.md'), 'sql');
  assert.equal((await duck.query(good)).length, stdout.split('"condition":"available"').length - 1);
  assert.ok((await duck.query(gaps)).length > 0);
});
