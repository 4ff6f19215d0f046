import assert from 'node:assert/strict';
import type { DayFileColumn, DayFileKind } from '../../src/day-files/data-types.js';
import type { Duck } from './parquet/readers.js';

/**
 * Asserts that DuckDB reads the same from a Parquet file as its CSV reader from the source: each cell, and
 * for each column counts, sums, bounds, and the rows that queries for the bounds return.
 */
export async function assertEqualsCsv(
  duck: Pick<Duck, 'query'>,
  source: string,
  output: string,
  schema: readonly DayFileColumn[],
): Promise<void> {
  const columns = schema.map(({ name, kind }) => ({ name, kind, ...READ[kind](`"${name}"`) }));
  const list = (which: 'csv' | 'parquet'): string =>
    columns.map((column) => `${column[which]} AS "${column.name}"`).join(', ');
  const csv = `read_csv('${source}', all_varchar = true, header = true, delim = ',', quote = '', escape = '')`;
  await duck.query(`CREATE OR REPLACE TEMP TABLE expected AS SELECT ${list('csv')} FROM ${csv}`);
  await duck.query(`CREATE OR REPLACE TEMP TABLE found AS SELECT ${list('parquet')} FROM '${output}'`);

  const facts = columns.flatMap(({ name, kind }) => [
    `count("${name}")`,
    `min("${name}")::VARCHAR`,
    `max("${name}")::VARCHAR`,
    kind === 'number' ? `fsum("${name}")` : 'NULL',
  ]);
  const queryFacts = async (table: string): Promise<unknown[]> =>
    (await duck.query(`SELECT count(*), ${facts.join(', ')} FROM ${table}`))[0] ?? [];
  const expected = await queryFacts('expected');
  assert.deepEqual(await queryFacts('found'), expected);

  const differs = columns.map(({ name }) => `count(*) FILTER (e."${name}" IS DISTINCT FROM f."${name}")`);
  const [differences] = await duck.query(
    `SELECT ${differs.join(', ')} FROM expected e POSITIONAL JOIN found f`,
  );
  assert.deepEqual(
    differences,
    columns.map(() => 0),
  );

  // Each filter uses the column itself, so that its statistics exclude row groups.
  const bounds = columns.flatMap(({ name, literal }, i) =>
    [expected[4 * i + 2], expected[4 * i + 3]].map((bound) => ({ name, value: literal(bound) })),
  );
  const counts = bounds.map(({ name, value }, i) => {
    const isTime = columns[i >> 1]?.kind === 'time';
    return `count(*) FILTER (${isTime ? `make_timestamptz("${name}")` : `"${name}"`} = ${value})`;
  });
  const [expectedCounts = []] = await duck.query(`SELECT ${counts.join(', ')} FROM expected`);
  for (const [i, { name, value }] of bounds.entries()) {
    const [[count] = []] = await duck.query(`SELECT count(*) FROM '${output}' WHERE "${name}" = ${value}`);
    assert.equal(count, expectedCounts[i], `${name} = ${value}`);
  }
}

interface Reading {
  /** SQL expression of the column from the CSV's text. */
  readonly csv: string;
  /** SQL expression of the same from the Parquet file. */
  readonly parquet: string;
  /** Literal of a bound, in the type of the Parquet column. */
  readonly literal: (bound: unknown) => string;
}

const orNull = (write: (text: string) => string) => (bound: unknown) =>
  bound === null ? 'NULL' : write(String(bound));

const READ: Readonly<Record<DayFileKind, (name: string) => Reading>> = {
  text: (name) => ({ csv: name, parquet: name, literal: orNull((text) => `'${text}'`) }),
  time: (name) => ({
    csv: `${name}::BIGINT`,
    parquet: `epoch_us(${name})`,
    literal: orNull((text) => `make_timestamptz(${text})`),
  }),
  boolean: (name) => ({ csv: `${name}::BOOLEAN`, parquet: name, literal: orNull((text) => text) }),
  number: (name) => ({
    csv: `${name}::DOUBLE`,
    parquet: name,
    literal: orNull((text) => `'${text}'::DOUBLE`),
  }),
};
