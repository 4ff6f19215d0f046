import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../../src/dataset/day.js';
import { formatManifestLine, parseManifestLine } from '../../../src/store/manifest/manifest-line.js';
import { createTestRecord } from './records.js';

test('parsing a formatted record returns the same record, for any symbol', () => {
  const record = fc
    .tuple(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      fc.option(fc.string()),
      fc.nat(40_000),
    )
    .map(([symbol, path, rows, etag, day]) => {
      const { etag: _, ...plain } = createTestRecord(path, rows);
      return {
        ...plain,
        file: { ...plain.file, symbol, day: day as Day },
        md5Match: etag === null ? null : false,
        ...(etag === null ? {} : { etag }),
      };
    });
  fc.assert(
    fc.property(record, (value) => {
      const line = formatManifestLine(value);
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.deepEqual(parseManifestLine(line), value);
    }),
  );
});

test('a line keeps the flat field names that other programs read', () => {
  assert.deepEqual(Object.keys(JSON.parse(formatManifestLine(createTestRecord('a')))), [
    ...['exchange', 'dataType', 'symbol', 'date', 'path', 'bytes', 'md5', 'sha256', 'md5Match', 'rows'],
    ...['etag', 'time', 'version'],
  ]);
});

for (const key of ['exchange', 'date', 'path', 'bytes', 'md5', 'md5Match', 'rows', 'time']) {
  test(`refuses a line with an invalid ${key}`, () => {
    const fields = JSON.parse(formatManifestLine(createTestRecord('a'))) as Record<string, unknown>;
    assert.notEqual(parseManifestLine(JSON.stringify(fields)), undefined);
    assert.equal(parseManifestLine(JSON.stringify({ ...fields, [key]: {} })), undefined);
  });
}
