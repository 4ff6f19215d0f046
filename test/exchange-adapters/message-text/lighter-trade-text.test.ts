import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readLighterTradeText } from '../../../src/exchange-adapters/message-text/trade-text.js';
import { lighterTrades } from '../../../src/exchange-adapters/own/lighter-normalizers.js';
import type { EmittedRecord } from '../../../src/market/message-record.js';

const LOCAL = 1_776_690_800_300_123;

const decimal = fc.tuple(fc.nat(100_000), fc.nat(99_999)).map(([a, b]) => `${a}.${b}`);
const usual = fc.record({
  trade_id: fc.nat(),
  trade_id_str: fc.nat().map(String),
  tx_hash: fc.constantFrom('00000011bd66', ''),
  type: fc.constantFrom('trade', 'liquidation'),
  market_id: fc.nat(3000),
  size: decimal,
  price: decimal,
  usd_amount: decimal,
  ask_id: fc.constantFrom(562_952_080_517_591, 0),
  bid_client_id_str: fc.nat().map(String),
  is_maker_ask: fc.boolean(),
  block_height: fc.nat(),
  timestamp: fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 }),
  taker_position_size_before: decimal.map((text) => `-${text}`),
  taker_position_sign_changed: fc.boolean(),
  maker_fee: fc.nat(100),
  transaction_time: fc.constant(1_776_690_800_252_707),
});
/** Another kind of value, another field, or a field less. */
const changed = fc
  .tuple(
    usual,
    fc.constantFrom(
      'price',
      'size',
      'trade_id_str',
      'market_id',
      'is_maker_ask',
      'timestamp',
      'type',
      'extra',
    ),
    fc.constantFrom<unknown>('1', 'a"b', 'a\\b', '', '1.2.3', 5, 1e21, -1, 0.5, null, undefined, '\n', true),
  )
  .map(([trade, key, value]) => ({ ...trade, [key]: value }));

const message = (trades: readonly object[], more: object): string =>
  JSON.stringify({ type: 'update/trade', channel: 'trade:1', nonce: 10_380_969_080, trades, ...more });
const endings = fc.constantFrom<object>({}, { liquidation_trades: [] });

const parsed = (text: string): readonly EmittedRecord[] => {
  const records: EmittedRecord[] = [];
  lighterTrades().read(JSON.parse(text), LOCAL, (record) => records.push(record));
  return records;
};

test('trades of lighter read from text equal those of the parsed message', () => {
  const trades = fc.array(usual, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(trades, endings, (list, ending) => {
      const text = message(list, ending);
      const records: EmittedRecord[] = [];
      assert.ok(
        readLighterTradeText(text, LOCAL, (record) => records.push(record)),
        text,
      );
      assert.deepEqual(records, parsed(text));
    }),
  );
});

test('texts in other forms are left to the parser, without a record', () => {
  const unusual = fc.constantFrom<object>({ liquidation_trades: [{ type: 'liquidation' }] }, { more: 1 });
  const parts = fc.tuple(fc.array(fc.oneof(usual, changed), { maxLength: 3 }), fc.oneof(endings, unusual));
  fc.assert(
    fc.property(
      parts,
      fc.nat(400),
      fc.constantFrom('', ' ', '"', '}', '1', ','),
      ([list, ending], at, cut) => {
        for (const text of [message(list, ending), message(list, ending).slice(0, at) + cut]) {
          const records: EmittedRecord[] = [];
          const isRead = readLighterTradeText(text, LOCAL, (record) => records.push(record));
          assert.deepEqual(records, isRead ? parsed(text) : []);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
