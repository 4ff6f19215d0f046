import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTradeTextParser } from '../../../src/exchange-adapters/message-text/trade-text.js';
import { createVendorNormalizer, loadVendor } from '../../../src/exchange-adapters/vendor-normalizer.js';
import type { MessageRecord } from '../../../src/market/message-record.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { eachRound } from '../../helpers/services.js';
import { feedTextTarget } from './feed-text-target.js';

const LOCAL = 1_709_253_660_004_123;

const decimal = fc.tuple(fc.nat(100_000), fc.nat(9_999_999)).map(([a, b]) => `${a}.${b}`);
const time = fc.oneof(
  fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 }),
  fc.integer({ min: 1_735_689_600_000_001, max: 1_900_000_000_000_000 }),
);
const symbol = fc.constantFrom('BTCUSDT', 'ETHUSD_PERP', '1000PEPEUSDT', '币安人生USDT');
const id = fc.nat(Number.MAX_SAFE_INTEGER % 1e15);
const futures = fc
  .tuple(time, symbol, id, decimal, decimal, fc.constantFrom('MARKET', undefined), fc.boolean())
  .map(([T, s, t, p, q, X, m]) => ({ e: 'trade', E: T, T, s, t, p, q, ...(X && { X }), m }));
const spot = fc
  .tuple(time, symbol, id, decimal, decimal, fc.boolean(), fc.boolean())
  .map(([T, s, t, p, q, m, withOrders]) => ({
    ...{ e: 'trade', E: T, s, t, p, q },
    ...(withOrders && { b: 1, a: 0 }),
    ...{ T, m, M: true },
  }));
/** Unusual parts: another field, another kind of value, another order. */
const unusual = fc
  .tuple(
    fc.oneof(futures, spot),
    fc.constantFrom('X', 'p', 'q', 'T', 't', 's', 'm', 'E', 'extra'),
    fc.constantFrom<unknown>(
      'ADL',
      'NA',
      'INSURANCE_FUND',
      'a"b',
      'a\\b',
      '',
      '1.2.3',
      5,
      1e21,
      -1,
      0.5,
      null,
      '\n',
    ),
  )
  .map(([trade, key, value]) => ({ ...trade, [key]: value }));
const messageOf = (data: object): string =>
  JSON.stringify({ stream: `${String('s' in data && data.s).toLowerCase()}@trade`, data });

for (const exchange of ['binance', 'binance-futures']) {
  test(`${exchange}: trades parsed from text equal those of the parsed message`, async () => {
    const normalizer = createVendorNormalizer(await loadVendor(), exchange, 'trade', LOCAL);
    const readTrade = createTradeTextParser(exchange);
    assert.ok(normalizer && readTrade);
    const parsed = (text: string): readonly MessageRecord[] => {
      const records: MessageRecord[] = [];
      normalizer.read(JSON.parse(text), LOCAL, (record) => records.push(record));
      return records;
    };
    fc.assert(
      fc.property(fc.oneof(futures, spot), (trade) => {
        const text = messageOf(trade);
        assert.deepEqual([readTrade(text, LOCAL)], parsed(text));
      }),
    );
    const [usual] = fc.sample(futures, 1);
    for (const value of ['994.9 51', 'NaN', '1e5', '-', '.5'])
      for (const key of ['p', 'q'])
        assert.equal(readTrade(messageOf({ ...usual, [key]: value }), LOCAL), undefined, `${key}: ${value}`);
    fc.assert(
      fc.property(unusual, (trade) => {
        const text = messageOf(trade);
        const read = readTrade(text, LOCAL);
        if (read) assert.deepEqual([read], parsed(text));
      }),
      { numRuns: 1000 },
    );
  });
}

test('rejects invalid JSON and messages other than trades', () => {
  const readTrade = createTradeTextParser('binance-futures');
  const text = messageOf({
    e: 'trade',
    E: 1,
    T: 1_709_253_660_001,
    s: 'BTCUSDT',
    t: 7,
    p: '1.5',
    q: '2',
    m: true,
  });
  assert.ok(readTrade?.(text, LOCAL));
  const broken = [
    text.slice(0, -1),
    `${text} `,
    text.replace('"t":7', '"t":007'),
    text.replace('"E":1', '"E":01'),
    text.replace('BTC', '\u0001'),
    text.replace('@trade', '@aggTrade'),
    text.replace('"p":"1.5"', '"p":1.5'),
  ];
  for (const one of broken) assert.equal(readTrade?.(one, LOCAL), undefined, one);
  assert.equal(createTradeTextParser('bitmex'), undefined);
});

test("for any changed text, the text parser gives the parsed message's trade or the same error", async () => {
  await eachRound(100, (round) => feedTextTarget.round(seededRandom('feed-text', round), () => {}));
});
