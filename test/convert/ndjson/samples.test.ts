import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATA_TYPES } from '../../../src/dataset/data-types.js';
import { expectedRows, parseLines, toNdjson } from './helpers.js';

// From dist.../test/convert/ndjson up to the folder beside the project's.
const folder = join(import.meta.dirname, '../../../../../shared/data');
const samples = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.csv')) : [];

test('real samples equal their CSV cell by cell', { skip: samples.length === 0 && 'no samples here' }, () => {
  for (const name of samples) {
    const csv = readFileSync(join(folder, name), 'utf8');
    const dataType = DATA_TYPES.findLast((type) => name.includes(`_${type}_`)) ?? '';
    const [header = [], ...rows] = csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const { schema, text } = toNdjson(csv, { dataType, batchRows: 128 });
    assert.deepEqual(
      schema.map((column) => column.name),
      header,
    );
    assert.deepEqual(parseLines(text), expectedRows(schema, rows), name);
    // Digit for digit, too.
    const cells = schema.map(({ kind }) => kind);
    const naive = rows.map((row) => {
      const members = row.map((cell, i) => {
        const value = cell === '' ? 'null' : cells[i] === 'text' ? JSON.stringify(cell) : cell;
        return `${JSON.stringify(header[i])}:${value}`;
      });
      return `{${members.join(',')}}\n`;
    });
    assert.equal(text, naive.join(''), name);
  }
});
