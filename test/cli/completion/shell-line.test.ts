import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitShellLine } from '../../../src/cli/completion/complete.js';

/** The default of bash. */
const BREAKS = ' \t\n"\'@><=;|&(:';

const LINES: readonly (readonly [string, readonly string[], number])[] = [
  ['tickhaul ', ['tickhaul', ''], 0],
  ['tickhaul down', ['tickhaul', 'down'], 0],
  ['tickhaul  replay binance:BT', ['tickhaul', 'replay', 'binance:BT'], 8],
  ['tickhaul replay binance\\:BT', ['tickhaul', 'replay', 'binance:BT'], 0],
  ['tickhaul convert --format=p', ['tickhaul', 'convert', '--format=p'], 9],
  ['t -s "BTC', ['t', '-s', 'BTC'], 0],
  [`t -o 'a b' x"y z`, ['t', '-o', 'a b', 'xy z'], 1],
  ['t -s "" ', ['t', '-s', '', ''], 0],
  ['t -o "a\\"b', ['t', '-o', 'a"b'], 0],
  ["t -o 'a\\", ['t', '-o', 'a\\'], 0],
];
for (const [line, words, keptCharacters] of LINES) {
  test(`splits a line like bash: ${line}`, () => {
    assert.deepEqual(splitShellLine(line, BREAKS), { words, keptCharacters });
  });
}

test('splits quoted words back into the original words', () => {
  const quotings = [
    (word: string) => `'${word.replaceAll("'", "'\\''")}'`,
    (word: string) => `"${word.replace(/[\\"]/g, '\\$&')}"`,
    (word: string) => (word === '' ? "''" : word.replace(/[^a-z]/gu, '\\$&')),
  ];
  const quoted = fc.tuple(fc.string(), fc.constantFrom(...quotings));
  fc.assert(
    fc.property(fc.array(quoted), (all) => {
      const line = all.map(([word, quote]) => `${quote(word)} `).join('');
      assert.deepEqual(splitShellLine(line, BREAKS).words, [...all.map(([word]) => word), '']);
    }),
  );
});
