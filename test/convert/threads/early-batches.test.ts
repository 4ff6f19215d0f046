import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { dataTypeColumns } from '../../../src/dataset/data-types.js';
import { createOutputOptions } from '../../../src/format/create-output-options.js';
import type { OutputOptions } from '../../../src/format/output-options.js';
import { referenceBatches } from '../../format/reference/csv/parser.js';
import { HEADER } from '../../format/trades.js';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { convertText, kernelsOf } from './converting.js';

const SCHEMA = dataTypeColumns('trades') ?? [];
/** Less than the default of 64 MiB, which the nightly test uses. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
/** Text at which a batch may end early, even if it is all in text columns that turn from dictionary to plain. */
const SAFE_BYTES = MAX_TEXT_BYTES / 2;

interface Rows {
  readonly count: number;
  readonly idBytes: number;
  readonly priceBytes: number;
  /** Rows after which the ids repeat. */
  readonly distinctIds: number;
  readonly numbers: OutputOptions['numbers'];
  readonly rowGroup: number;
}

/** Row groups of a file with these rows, as converted in two threads, and as the reference has them. */
async function assertRowGroups(rows: Rows, maxTextBytes?: number): Promise<number[]> {
  const { count, idBytes, priceBytes, distinctIds, numbers, rowGroup } = rows;
  const digits = '1'.padStart(priceBytes, '0');
  const lines = Array.from({ length: count }, (_, i) => {
    const id = `${i % distinctIds}`.padEnd(idBytes, 'x');
    return `deribit,BTC,1585699200245000,1585699200355684,${id},buy,${digits},18640\n`;
  });
  const chosen = createOutputOptions('parquet', { numbers, rowGroup, compression: 'none' });
  const options = { ...chosen, maxTextBytes };
  const text = Buffer.from(`${HEADER}\n${lines.join('')}`, 'latin1');
  const output = await convertText(text, options, kernelsOf(2));
  const { row_groups } = parquetMetadata(Uint8Array.from(output).buffer);
  const found = row_groups.map(({ num_rows }) => Number(num_rows));
  const reading = {
    source: 'a',
    schema: SCHEMA,
    batchRows: rowGroup,
    numberText: numbers === 'string',
    maxTextBytes,
  };
  const expected = referenceBatches(text.subarray(HEADER.length + 1), reading);
  assert.deepEqual(
    found,
    expected.map((batch) => batch.rows),
  );
  return found;
}

test('batches with any text end where those of the reference end', async () => {
  const property = fc.asyncProperty(
    fc.record({
      rowGroup: fc.integer({ min: 600, max: 2500 }),
      priceBytes: fc.integer({ min: 1, max: 31 }),
      distinctIds: fc.constantFrom(1, 1500, 5000, 5000),
      numbers: fc.constantFrom('double' as const, 'string' as const),
    }),
    fc.double({ min: 0.4, max: 2.5, noNaN: true }),
    async (rows, share) => {
      const idBytes = Math.ceil((share * SAFE_BYTES) / rows.rowGroup);
      // The text of the first batch and of half another is too much for one batch, if a batch keeps it.
      await assertRowGroups({ ...rows, idBytes, count: Math.ceil(1.5 * rows.rowGroup) }, MAX_TEXT_BYTES);
    },
  );
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});

for (const [limit, maxTextBytes] of [
  ['a limit of 2 MiB', MAX_TEXT_BYTES],
  ['the default limit', undefined],
] as const) {
  const declare = maxTextBytes === undefined ? nightlyTest : usualTest;
  declare(`a batch ends early if its ids count twice, just beyond ${limit}`, async () => {
    // A column turns from dictionary to plain text at its distinct value number 1025.
    const rows = {
      priceBytes: 1,
      distinctIds: 5000,
      numbers: 'double',
      rowGroup: 1030,
      count: 2060,
    } as const;
    const idBytes = Math.ceil((maxTextBytes ?? 64 * 1024 * 1024) / (1024 + 1025));
    assert.deepEqual(await assertRowGroups({ ...rows, idBytes: idBytes - 120 }, maxTextBytes), [1030, 1030]);
    const [first = 0, ...others] = await assertRowGroups({ ...rows, idBytes }, maxTextBytes);
    assert.ok(first < 1030 && others.length > 1, `${first} rows in the first row group`);
  });
}

test('a batch ends early if the kept text of its numbers is too long', async () => {
  const rows = { idBytes: 5, distinctIds: 1, priceBytes: 31, rowGroup: 68_000, count: 69_000 } as const;
  assert.deepEqual(await assertRowGroups({ ...rows, numbers: 'double' }, MAX_TEXT_BYTES), [68_000, 1000]);
  const [first = 0, ...others] = await assertRowGroups({ ...rows, numbers: 'string' }, MAX_TEXT_BYTES);
  assert.ok(first < 68_000 && others.length === 1, `${first} rows in the first row group`);
});
