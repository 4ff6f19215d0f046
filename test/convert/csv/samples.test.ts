import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATA_TYPES } from '../../../src/dataset/data-types.js';
import { parseCsv } from './helpers.js';

// From dist.../test/convert/csv up to the folder beside the project's.
const folder = join(import.meta.dirname, '../../../../../shared/data');
const samples = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.csv')) : [];

test('real samples equal their CSV cell by cell', { skip: samples.length === 0 && 'no samples here' }, () => {
  for (const name of samples) {
    const csv = readFileSync(join(folder, name), 'utf8');
    const dataType = DATA_TYPES.findLast((type) => name.includes(`_${type}_`)) ?? '';
    const lines = csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const { schema, rows, warning } = parseCsv(csv, { dataType, batchRows: 128, chunks: [1000] });
    assert.equal(warning, undefined, name);
    assert.equal(rows.length, lines.length - 1, name);
    assert.deepEqual(
      schema.map((column) => column.name),
      lines[0],
    );
    for (const [i, row] of rows.entries()) {
      const expected = lines[i + 1]?.map((cell, column) => {
        if (cell === '') return null;
        const kind = schema[column]?.kind;
        if (kind === 'boolean') return cell === 'true';
        return kind === 'text' ? cell : Number(cell);
      });
      assert.deepEqual(row, expected, `${name}, row ${i}`);
    }
  }
});
