import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../src/day-files/day.js';
import { createShardTest, parseShard, shardIndex } from '../../src/day-files/shard.js';

const BITCOIN = {
  exchange: 'binance-futures',
  dataType: 'trades',
  symbol: 'BTCUSDT',
  day: parseDay('2024-03-01'),
};

test('the shard of a file is the specified one', () => {
  assert.equal(shardIndex(BITCOIN, 2 ** 32), 26_291_614);
  assert.equal(shardIndex(BITCOIN, 10), 4);
});

/** FNV-1a by its definition, with big integers. */
function slowHash(name: string): number {
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from(name)) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  return Number(hash);
}

const TEXT = fc.stringMatching(/^[a-zA-Z0-9é€😀.-]{1,12}$/u);

test('every file belongs to one shard, determined by its name in UTF-8', () => {
  fc.assert(
    fc.property(TEXT, fc.integer({ min: 1, max: 1000 }), (symbol, count) => {
      const file = { ...BITCOIN, symbol };
      const index = shardIndex(file, count);
      assert.equal(index, slowHash(`binance-futures_trades_2024-03-01_${symbol}.csv.gz`) % count);
      const owners = Array.from({ length: count }, (_, at) => createShardTest({ index: at, count })(file));
      assert.deepEqual([owners.filter(Boolean).length, owners[index]], [1, true]);
    }),
    { numRuns: 200 },
  );
});

test('a file with an unknown name belongs to the first shard; without a shard, all files pass', () => {
  assert.deepEqual([shardIndex(undefined, 3), createShardTest(undefined)(undefined)], [0, true]);
});

test('a shard has a valid index and count', () => {
  assert.deepEqual(parseShard('0/1'), { index: 0, count: 1 });
  assert.deepEqual(parseShard('199/200'), { index: 199, count: 200 });
  for (const text of [
    '5/4',
    '0/0',
    '1',
    '-1/4',
    '1/',
    '/4',
    '1/4/5',
    '1.5/4',
    '0/10000000',
    '10000000/10000000',
    '٣/4',
  ]) {
    assert.throws(() => parseShard(text), /is not a shard; use 0\/4 for the first of four/, text);
  }
  assert.throws(() => parseShard('5/5'), /"5\/5" is not a shard; the first is 0, so the last of 5 is 4\/5/);
});
