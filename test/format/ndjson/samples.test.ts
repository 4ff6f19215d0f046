import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATA_TYPES } from '../../../src/dataset/data-types.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { expectedRows, parseLines, toNdjson } from './helpers.js';

test('real samples equal their CSV cell by cell', { skip: NO_SAMPLES }, () => {
  for (const name of SAMPLES) {
    const csv = readFileSync(join(SAMPLES_DIR, name), 'utf8');
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
