import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATA_TYPES } from '../../../src/day-files/data-types.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { parseCsv } from './helpers.js';

test('parses real samples with the same cells', { skip: NO_SAMPLES }, () => {
  for (const name of SAMPLES) {
    const csv = readFileSync(join(SAMPLES_DIR, name), 'utf8');
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
