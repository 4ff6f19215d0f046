import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { RecordLines } from '../../../src/market/lines/record-lines.js';
import type { MessageRecord } from '../../../src/market/message-record.js';
import { sixDecimals, threeDecimals } from '../naive/messages.js';

/** Keys of each type between the head and the times, in their order (docs/spec/normalized-messages.md#common-keys). */
const KEYS: Readonly<Record<MessageRecord['type'], readonly string[]>> = {
  trade: ['id', 'price', 'amount', 'side'],
  liquidation: ['id', 'price', 'amount', 'side'],
  book_change: ['isSnapshot', 'bids', 'asks'],
  book_ticker: ['askAmount', 'askPrice', 'bidPrice', 'bidAmount'],
  derivative_ticker: [
    ...['lastPrice', 'openInterest', 'fundingRate', 'fundingTimestamp', 'predictedFundingRate'],
    ...['indexPrice', 'markPrice'],
  ],
  option_summary: [
    ...['optionType', 'strikePrice', 'expirationDate', 'bestBidPrice', 'bestBidAmount', 'bestBidIV'],
    ...['bestAskPrice', 'bestAskAmount', 'bestAskIV', 'lastPrice', 'openInterest', 'markPrice', 'markIV'],
    ...['delta', 'gamma', 'vega', 'theta', 'rho', 'underlyingPrice', 'underlyingIndex'],
  ],
};
const TYPES = Object.keys(KEYS) as MessageRecord['type'][];
const TIMES = new Set(['fundingTimestamp', 'expirationDate']);

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1e4),
);
const time = fc.integer({ min: 0, max: 4e15 });
const level = fc.record({ price: number, amount: number });
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  id: fc.string({ unit: 'binary' }),
  side: fc.constantFrom('buy', 'sell', 'unknown'),
  optionType: fc.constantFrom('put', 'call'),
  underlyingIndex: fc.string(),
  isSnapshot: fc.boolean(),
  bids: fc.array(level),
  asks: fc.array(level),
  fundingTimestamp: time,
  expirationDate: time,
};

/** Fields in any order; some are undefined if their type allows it. */
const record = fc.constantFrom(...TYPES).chain((type) => {
  const fields = KEYS[type].map((key) => {
    const value = values[key] ?? number;
    return [key, type === 'book_change' ? value : fc.option(value, { nil: undefined })] as const;
  });
  const common = {
    symbol: fc.string({ unit: 'binary' }),
    timestamp: time,
    localTimestamp: time,
    micros: fc.boolean(),
  };
  return fc
    .record({ ...common, ...Object.fromEntries(fields) })
    .map((made) => ({ type, ...made }) as unknown as MessageRecord);
});

function expected(made: MessageRecord, exchange: string): string {
  const all = made as unknown as Readonly<Record<string, unknown>>;
  const own = KEYS[made.type].map((key) => {
    const value = all[key];
    return [key, TIMES.has(key) && value !== undefined ? threeDecimals(value as number) : value];
  });
  const { type, symbol, timestamp, micros, localTimestamp } = made;
  return JSON.stringify({
    type,
    symbol,
    exchange,
    ...Object.fromEntries(own),
    timestamp: micros ? sixDecimals(timestamp) : threeDecimals(timestamp),
    localTimestamp: sixDecimals(localTimestamp),
  });
}

test('lines of records equal JSON.stringify of the messages', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), (records) => {
      const lines = new RecordLines('any"exchange');
      const out = new LineBuffer(1);
      for (const one of records) lines.write(one, out);
      const text = Buffer.from(out.bytes.subarray(0, out.length)).toString();
      assert.equal(text, records.map((one) => `${expected(one, 'any"exchange')}\n`).join(''));
      assert.deepEqual(
        [...out.localTimestamps.subarray(0, out.count)],
        records.map(({ localTimestamp }) => localTimestamp),
      );
    }),
  );
});

test("keeps an exchange's own order of a book ticker's keys", () => {
  const out = new LineBuffer();
  const common = { symbol: 'X', timestamp: 0, micros: false, localTimestamp: 0 };
  const ticker = {
    type: 'book_ticker',
    askAmount: 1,
    askPrice: 2,
    bidPrice: 3,
    bidAmount: 4,
    ...common,
  } as const;
  new RecordLines('e', ['bidPrice', 'bidAmount', 'askPrice', 'askAmount']).write(ticker, out);
  const line = Buffer.from(out.bytes.subarray(0, out.length)).toString();
  assert.match(line, /"bidPrice":3,"bidAmount":4,"askPrice":2,"askAmount":1,"timestamp"/);
});
