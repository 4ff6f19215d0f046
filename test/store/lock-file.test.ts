import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../src/day-files/day.js';
import {
  formatChecksums,
  formatLockFile,
  type LockedFile,
  parseLockFile,
} from '../../src/store/lock-file.js';
import { createTestRecord } from './manifest/records.js';

const HEADER = '{"tickhaulLock":1}';
const SHA = 'ab'.repeat(32);
const LINE = `{"path":"a.csv.gz","exchange":"binance","dataType":"trades","symbol":"BTCUSDT","date":"2024-03-01","bytes":12,"sha256":"${SHA}"}`;

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const files: fc.Arbitrary<LockedFile[]> = fc.uniqueArray(
  fc.record({
    file: fc.record({
      exchange: name,
      dataType: name,
      symbol: name,
      day: fc.integer({ min: 0, max: 40_000 }) as fc.Arbitrary<number> as fc.Arbitrary<Day>,
    }),
    path: fc
      .array(fc.stringMatching(/^[\w é"]{1,6}$/), { minLength: 1, maxLength: 3 })
      .map((parts) => `${parts.join('/')}.csv.gz`),
    bytes: fc.nat(),
    sha256: fc.constant(SHA),
  }),
  { selector: ({ path }) => path, minLength: 1, maxLength: 8 },
);

test('parsing a formatted lock file returns its files, in any order', () => {
  fc.assert(
    fc.property(files, (all) => {
      const text = [...formatLockFile(all)].join('');
      assert.equal([...formatLockFile(all.toReversed())].join(''), text);
      const back = parseLockFile(text, 'x');
      assert.deepEqual([...formatLockFile(back)].join(''), text);
      assert.equal(back.length, all.length);
    }),
  );
});

test('each file is one line, so that a diff is readable', () => {
  const file = { exchange: 'binance', dataType: 'trades', symbol: 'BTCUSDT', day: 19_783 as Day };
  const text = [...formatLockFile([{ file, path: 'a.csv.gz', bytes: 12, sha256: SHA }])].join('');
  assert.equal(text, `${HEADER}\n${LINE}\n`);
});

const INVALID_FILES: readonly [string, RegExp][] = [
  ['', /^x: is not a lock file of tickhaul/],
  [LINE, /^x: is not a lock file of tickhaul/],
  [HEADER, /^x: contains no day files; create it with tickhaul lock$/],
  ['hello', /^x line 1: expected a JSON object, found "hello"$/],
  [
    '{"tickhaulLock":2}',
    /^x line 1: the lock file has version 2, but this tickhaul supports only 1; update it$/,
  ],
  ['{"tickhaulLock":"1"}', /^x line 1: "tickhaulLock" is "1", but must be a whole number$/],
  [`${HEADER}\n\n<<<<<<< HEAD`, /^x line 3: expected a JSON object, found "<<<<<<< HEAD"$/],
  [`${HEADER}\n${LINE.slice(0, -9)}`, /^x line 2: expected a JSON object, found /],
  [`${HEADER}\n[1]`, /^x line 2: expected a JSON object, found /],
  [`${HEADER}\n${LINE}\n${LINE}`, /^x line 3: a\.csv\.gz occurs twice$/],
  [`${HEADER}\n${LINE.replace('a.csv', '../a.csv')}`, /^x line 2: the path "\.\.\/a\.csv\.gz" leads out/],
  [`${HEADER}\n${LINE.replace('a.csv', '/etc/a.csv')}`, /^x line 2: the path .* leads out/],
  [`${HEADER}\n${LINE.replace('a.csv.gz', 'a')}`, /^x line 2: the path "a" does not end in \.csv\.gz$/],
  [
    `${HEADER}\n${LINE.replace('a.csv', '\\u001b[2Ja\\n.csv')}`,
    /^x line 2: the path "\\u001b\[2Ja\\n\.csv\.gz" contains control characters$/,
  ],
  [`${HEADER}\n${LINE.replace('a.csv.gz', '__proto__')}`, /^x line 2: the path "__proto__" does not end in/],
  [`${HEADER}\n${LINE.replace('a.csv', '.tickhaul/a.csv')}`, /^x line 2: .* tickhaul's state folder$/],
  [
    `${HEADER}\n${LINE.replace('symbol', 'symbl')}`,
    /^x line 2: unknown key "symbl"; did you mean "?symbol"?/,
  ],
  [
    `${HEADER}\n${LINE.replace('"symbol":"BTCUSDT",', '')}`,
    /^x line 2: "symbol" is missing, but must be a text$/,
  ],
  [`${HEADER}\n${LINE.replace('2024-03-01', '2024-02-30')}`, /^x line 2: .*2024-02-30/],
  [`${HEADER}\n${LINE.replace('12', '-1')}`, /^x line 2: "bytes" is -1, but must be a whole number$/],
  [`${HEADER}\n${LINE.replace(SHA, 'ABC')}`, /^x line 2: "sha256" is "ABC", but must be 64 hex digits$/],
];
for (const [text, message] of INVALID_FILES) {
  test(`refuses an invalid line with its number: ${message.source}`, () => {
    assert.throws(() => parseLockFile(text, 'x'), { code: 'usage', message });
  });
}

test('accepts CRLF, a byte order mark and empty lines', () => {
  assert.equal(parseLockFile(`\uFEFF${HEADER}\r\n\r\n${LINE}\r\n`, 'x').length, 1);
});

test('a checksum list is sorted, and leaves out dropped files', () => {
  const records = [
    createTestRecord('b'),
    { ...createTestRecord('c'), dropped: true as const },
    createTestRecord('a\nb'),
  ];
  assert.deepEqual(
    [...formatChecksums(records, 'md5sum')],
    [`\\${'0'.repeat(32)}  a\\nb.csv.gz\n`, `${'0'.repeat(32)}  b.csv.gz\n`],
  );
  assert.deepEqual(
    [...formatChecksums([createTestRecord('b')], 'sha256sum')],
    [`${'f'.repeat(64)}  b.csv.gz\n`],
  );
});
