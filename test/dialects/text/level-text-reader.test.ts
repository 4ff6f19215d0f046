import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LevelTextReader } from '../../../src/dialects/text/level-text-reader.js';

const QUOTED = { isQuoted: true, hasAction: false };
const ACTIONS = { isQuoted: false, hasAction: true };
const decimal = fc
  .tuple(fc.bigInt(0n, 10n ** 17n), fc.option(fc.stringMatching(/^\d{1,17}$/)))
  .map(([whole, decimals]) => (decimals === null ? String(whole) : `${whole}.${decimals}`));
const pairs = fc.array(fc.tuple(decimal, decimal), { maxLength: 5 });

test('prices and amounts are the doubles that JavaScript parses', () => {
  fc.assert(
    fc.property(pairs, fc.boolean(), (levels, withMore) => {
      const expected = levels.map(([price, amount]) => ({ price: Number(price), amount: Number(amount) }));
      const quoted = JSON.stringify(levels.map((level) => [...level, ...(withMore ? ['0', '12'] : [])]));
      const reader = new LevelTextReader(QUOTED);
      assert.deepEqual(reader.read(`x${quoted}y`, 1), expected);
      assert.equal(reader.position, quoted.length + 1);
      const bare = `[${levels.map(([price, amount]) => `["change",${price},${amount}]`)}]`;
      const bareReader = new LevelTextReader(ACTIONS);
      assert.deepEqual(bareReader.read(bare, 0), expected);
      assert.equal(bareReader.position, bare.length);
    }),
  );
});

test('another form has no position', () => {
  const quoted = [
    '',
    '1',
    '[',
    '[]'.slice(1),
    '[["1","2"]',
    '[["1","2"],]',
    '[["1"]]',
    '[["1","2",3]]',
    '[[1,2]]',
  ];
  const numbers = [
    '',
    '.',
    '-1',
    '+1',
    '01',
    '00',
    '1.',
    '.5',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1.2.3',
    'a',
    '\\u0031',
  ];
  const all = [...quoted, ...numbers.flatMap((number) => [`[["${number}","1"]]`, `[["1","${number}"]]`])];
  for (const text of all) {
    const reader = new LevelTextReader(QUOTED);
    reader.read(text, 0);
    assert.equal(reader.position, -1, text);
  }
  for (const text of [
    '[["new","1",2]]',
    '[[1,2]]',
    '[["New",1,2]]',
    '[["new",01,2]]',
    '[["new",1]]',
    '[["new"1,2]]',
  ]) {
    const reader = new LevelTextReader(ACTIONS);
    reader.read(text, 0);
    assert.equal(reader.position, -1, text);
  }
});
