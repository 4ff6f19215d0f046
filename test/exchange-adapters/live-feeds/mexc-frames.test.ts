import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMexcFrame } from '../../../src/exchange-adapters/live-feeds/mexc-frames.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { bytesField, dealsBody, depthBody, integerField, mexcFrame, varint } from './mexc-writer.js';

const decode = (frame: Buffer): unknown => JSON.parse(decodeMexcFrame(frame).toString());
const common = (name: string) => ({
  channel: `spot@public.aggre.${name}.v3.api.pb@10ms@BTCUSDT`,
  symbol: 'BTCUSDT',
  sendTime: '1781337091703',
});

test('decodes frames to the JSON that the collector records, and passes text frames on', () => {
  const frame = (name: string, body?: Buffer): Buffer => mexcFrame(name, 'BTCUSDT', 1_781_337_091_703, body);
  assert.deepEqual(decode(frame('deals', dealsBody('100.1', '0.2', 1, 1_710_000_000_001))), {
    ...common('deals'),
    publicAggreDeals: {
      deals: [{ price: '100.1', quantity: '0.2', tradeType: 1, time: '1710000000001', tradeId: '7X0' }],
    },
  });
  assert.deepEqual(
    decode(
      frame(
        'depth',
        depthBody(101, 102, [
          ['99.9', '0.5'],
          ['99', '0'],
        ]),
      ),
    ),
    {
      ...common('depth'),
      publicAggreDepths: {
        bids: [
          { price: '99.9', quantity: '0.5' },
          { price: '99', quantity: '0' },
        ],
        eventType: 'spot@public.aggre.depth.v3.api.pb@10ms',
        ...{ fromVersion: '101', toVersion: '102' },
      },
    },
  );
  const ticker = Buffer.concat(['1', '2', '3', ''].map((value, i) => bytesField(i + 1, value)));
  assert.deepEqual(decode(frame('bookTicker', bytesField(315, ticker))), {
    ...common('bookTicker'),
    publicAggreBookTicker: { bidPrice: '1', bidQuantity: '2', askPrice: '3', askQuantity: '' },
  });
  assert.deepEqual(decode(frame('deals')), common('deals'));
  const answer = Buffer.from('{"id":0,"code":0,"msg":"PONG"}');
  assert.equal(decodeMexcFrame(answer), answer);
});

test('skips fields that the schema does not have, of every encoding', () => {
  const unknown = [
    integerField(900, 2n ** 64n - 1n),
    bytesField(901, 'text'),
    Buffer.concat([varint(902 * 8 + 1), Buffer.alloc(8)]),
    Buffer.concat([varint(903 * 8 + 5), Buffer.alloc(4)]),
  ];
  assert.deepEqual(decode(Buffer.concat([...unknown, bytesField(3, 'BTCUSDT'), ...unknown])), {
    symbol: 'BTCUSDT',
  });
});

test('refuses frames that are cut, or whose fields have another encoding', () => {
  const whole = mexcFrame('depth', 'BTCUSDT', 1, depthBody(1, 1, [['1', '2']]));
  const ends = new Set<number>();
  for (let length = 1; length < whole.length; length++) {
    try {
      decodeMexcFrame(whole.subarray(0, length));
      ends.add(length);
    } catch {}
  }
  // Only after a whole field of the outer message.
  assert.equal(ends.size, 3);
  assert.throws(() => decodeMexcFrame(integerField(1, 5)), /channel is a number in the frame/);
  assert.throws(() => decodeMexcFrame(bytesField(6, 'text')), /sendTime is no number in the frame/);
  assert.throws(() => decodeMexcFrame(Buffer.from([900 * 8 + 3])), /encoding 3|ends in a field/);
  assert.throws(() => decodeMexcFrame(Buffer.alloc(20, 0xff)), /too many bytes/);
  assert.throws(() => decodeMexcFrame(Buffer.from([0x0b])), /encoding 3/);
  const random = seededRandom('frames');
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.from(Array.from({ length: random.int(40) }, () => random.int(256)));
    try {
      JSON.parse(decodeMexcFrame(bytes).toString());
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof RangeError), String(error));
    }
  }
});
