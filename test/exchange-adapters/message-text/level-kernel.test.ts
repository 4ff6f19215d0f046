import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LevelKernel } from '../../../src/exchange-adapters/message-text/book-text.js';
import type { TextLevels } from '../../../src/market/message-record.js';

const QUOTED = { isQuoted: true, hasAction: false };
const ACTIONS = { isQuoted: false, hasAction: true };
const BETWEEN = ',"a":';

const decimal = fc
  .tuple(
    fc.oneof(fc.nat(3).map(BigInt), fc.bigInt(0n, 10n ** 17n)),
    fc.option(fc.stringMatching(/^0{0,9}\d{1,17}$/)),
  )
  .map(([whole, decimals]) => (decimals === null ? String(whole) : `${whole}.${decimals}`));
type Pairs = readonly (readonly [price: string, amount: string])[];
const pairs: fc.Arbitrary<Pairs> = fc.array(fc.tuple(decimal, decimal), { maxLength: 5 });

const kernel = new LevelKernel();

function assertLevels({ count, prices, amounts, json, jsonBytes }: TextLevels, expected: Pairs): void {
  const levels = expected.map(([price, amount]) => ({ price: Number(price), amount: Number(amount) }));
  assert.equal(`[${Buffer.from(json.buffer, json.byteOffset, jsonBytes)}]`, JSON.stringify(levels));
  assert.deepEqual(
    Array.from({ length: count }, (_, i) => ({ price: prices[i], amount: amounts[i] })),
    levels,
  );
}

test('levels are those that JavaScript parses, as doubles and as JSON', () => {
  fc.assert(
    fc.property(pairs, pairs, fc.boolean(), (bids, asks, withMore) => {
      const more = withMore ? ['0', '12'] : [];
      const quoted = [bids, asks].map((side) => JSON.stringify(side.map((level) => [...level, ...more])));
      const bare = [bids, asks].map((side) => `[${side.map((level) => `["change",${level.join()}]`)}]`);
      for (const [lists, form] of [
        [quoted, QUOTED],
        [bare, ACTIONS],
      ] as const) {
        const text = `é${lists.join(BETWEEN)}`;
        assert.equal(kernel.read(`${text}}é`, 1, form, BETWEEN), text.length);
        assertLevels(kernel.first, bids);
        assertLevels(kernel.second, asks);
      }
    }),
    { numRuns: 500 },
  );
});

test('reads lists up to 64 KB, and as many levels as they can have', () => {
  const listOf = (count: number): string => `[${Array.from({ length: count }, () => '["",1,1]').join()}]`;
  const end = `${BETWEEN}[]`;
  const most = listOf(7280);
  assert.equal(kernel.read(most + end, 0, ACTIONS, BETWEEN), most.length + end.length);
  assert.equal(kernel.first.count, 7280);
  assert.equal(kernel.read(listOf(7281) + end, 0, ACTIONS, BETWEEN), -1);
});

const LISTS = [
  '',
  '1',
  '[',
  ']',
  '[["1","2"]',
  '[["1","2"],]',
  '[["1"]]',
  '[["1","2",3]]',
  '[[1,2]]',
  '[["1","2"]}',
];
const NUMBERS = [
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
  'İ',
];
const OTHER_ACTIONS = [
  '[["new","1",2]]',
  '[[1,2]]',
  '[["New",1,2]]',
  '[["new",01,2]]',
  '[["new",1]]',
  '[["new"1,2]]',
  '[["delete",1,2]]',
];

test('any other form is refused', () => {
  const quoted = [...LISTS, ...NUMBERS.flatMap((one) => [`[["${one}","1"]]`, `[["1","${one}"]]`])];
  const cases = [
    ...quoted.map((list) => [list, QUOTED] as const),
    ...OTHER_ACTIONS.map((list) => [list, ACTIONS] as const),
  ];
  for (const [list, form] of cases) {
    assert.equal(kernel.read(`${list}${BETWEEN}[]`, 0, form, BETWEEN), -1, list);
    assert.equal(kernel.read(`[]${BETWEEN}${list}`, 0, form, BETWEEN), -1, list);
  }
  assert.equal(kernel.read('[],"b":[]', 0, QUOTED, BETWEEN), -1);
  assert.equal(kernel.read('[["delete",1.5,0.0]],"a":[]', 0, ACTIONS, BETWEEN), 27);
});
