import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { LINE_BATCHES } from '../../../src/format/ndjson/line-limits.js';
import { maxBatchTextBytes, type OutputOptions } from '../../../src/format/output-format.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import { referenceBatches } from '../../format/reference/csv/parser.js';
import { HEADER } from '../../format/trades.js';
import { nightlyTest, rounds } from '../../helpers/services.js';
import { convertText, kernelsOf } from './converting.js';

const SCHEMA = dataTypeColumns('trades') ?? [];
interface Rows {
  readonly count: number;
  readonly idBytes: number;
  readonly numbers: OutputOptions['numbers'];
  readonly rowGroup: number;
}

/** Row groups of a file with these rows, as converted in two threads, and as the reference has them. */
async function assertRowGroups(rows: Rows, maxTextBytes?: number): Promise<number[]> {
  const { count, idBytes, numbers, rowGroup } = rows;
  const lines = Array.from({ length: count }, (_, i) => {
    const id = `${i}`.padEnd(idBytes, 'x');
    return `deribit,BTC,1585699200245000,1585699200355684,${id},buy,1,18640\n`;
  });
  const chosen = createOutputOptions('parquet', { numbers, rowGroup, compression: 'none' });
  const text = Buffer.from(`${HEADER}\n${lines.join('')}`, 'latin1');
  const output = await convertText(text, { ...chosen, maxTextBytes }, kernelsOf(2));
  const { row_groups } = parquetMetadata(Uint8Array.from(output).buffer);
  const found = row_groups.map(({ num_rows }) => Number(num_rows));
  const reading = {
    source: 'a',
    schema: SCHEMA,
    batchRows: rowGroup,
    numberText: numbers === 'string',
    maxTextBytes: maxTextBytes ?? maxBatchTextBytes(rowGroup),
  };
  const expected = referenceBatches(text.subarray(HEADER.length + 1), reading);
  assert.deepEqual(
    found,
    expected.map((batch) => batch.rows),
  );
  return found;
}

test('batches with any text end where those of the reference end', async () => {
  const maxTextBytes = 1024 * 1024;
  const property = fc.asyncProperty(
    fc.record({
      rowGroup: fc.integer({ min: 600, max: 2500 }),
      numbers: fc.constantFrom('double' as const, 'string' as const),
    }),
    fc.double({ min: 0.2, max: 2.5, noNaN: true }),
    async (rows, share) => {
      const idBytes = Math.ceil((share * maxTextBytes) / rows.rowGroup);
      await assertRowGroups({ ...rows, idBytes, count: Math.ceil(1.5 * rows.rowGroup) }, maxTextBytes);
    },
  );
  await fc.assert(property, { numRuns: rounds(20), endOnFailure: true });
});

nightlyTest('a batch ends when it has 64 MiB of text', async () => {
  const rows = { numbers: 'double', rowGroup: 1030, count: 2060 } as const;
  const idBytes = Math.ceil((64 * 1024 * 1024) / 1030);
  assert.deepEqual(await assertRowGroups({ ...rows, idBytes: idBytes - 100 }), [1030, 1030]);
  const [first = 0, ...others] = await assertRowGroups({ ...rows, idBytes: idBytes + 200 });
  assert.ok(first < 1030 && others.length > 1, `${first} rows in the first row group`);
});

test('usual row groups of any size have all their rows', () => {
  assert.equal(maxBatchTextBytes(1024), 64 * 1024 * 1024);
  assert.equal(maxBatchTextBytes(1024 * 1024), 512 * 1024 * 1024);
  assert.equal(maxBatchTextBytes(64 * 1024 * 1024), 1024 * 1024 * 1024);
});

test('lines of a batch fit into memory, even if they are nearly all keys', () => {
  const options = createOutputOptions('ndjson', {});
  assert.equal(LINE_BATCHES.textBytes(options, SCHEMA), 4 * 1024 * 1024);
  const name = 'x'.repeat(256);
  const wide = Array.from({ length: 4096 }, () => ({ name, kind: 'text' }) as const);
  // Each row has a byte for each cell, and a key before it.
  assert.ok(LINE_BATCHES.textBytes(options, wide) * name.length < 256 * 1024 * 1024);
});
