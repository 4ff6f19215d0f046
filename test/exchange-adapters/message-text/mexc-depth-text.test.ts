import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Normalizer } from '../../../src/exchange-adapters/normalizer.js';
import { mexcBooks } from '../../../src/exchange-adapters/own/mexc-normalizers.js';
import type { EmittedRecord } from '../../../src/market/message-record.js';
import { type Random, seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { rounds } from '../../helpers/services.js';

const CHANNEL = 'spot@public.aggre.depth.v3.api.pb@10ms';

/** A change in the usual form, sometimes with unusual parts. */
function randomChange(random: Random, version: number): string {
  const digits = (count: number): string => String(random.int(10 ** Math.min(count, 9)));
  const number = (): string => {
    const usual = `${digits(1 + random.int(5))}${random.chance(0.7) ? `.${digits(1 + random.int(6))}` : ''}`;
    if (random.chance(0.98)) return usual;
    return pick(random, [
      '0',
      '1e3',
      '0.000000012345',
      '123456789.123456',
      '1234567890.1234567',
      '-1',
      '',
      '007',
    ]);
  };
  const level = (): string => {
    const [price, quantity] = [number(), number()];
    const usual = `{"price":"${price}","quantity":"${quantity}"}`;
    if (random.chance(0.99)) return usual;
    return pick(random, [
      `{"quantity":"${quantity}","price":"${price}"}`,
      `{"price":"${price}"}`,
      `{"price":${price || 1},"quantity":"${quantity}"}`,
      `{"price": "${price}","quantity":"${quantity}"}`,
    ]);
  };
  const levels = (): string => `[${Array.from({ length: random.int(6) }, level).join()}]`;
  const symbol = pick(random, ['BTCUSDT', 'ETHUSDT', '币USDT']);
  const sides = random.chance(0.95)
    ? `"asks":${levels()},"bids":${levels()}`
    : pick(random, [`"bids":${levels()}`, `"bids":${levels()},"asks":${levels()}`, '"asks":null,"bids":[]']);
  const end = random.chance(0.95) ? '' : pick(random, [',"lastOrderCreateTime":"5"', ' ']);
  const [first, last] = [version + random.int(2), version + 1 + random.int(2)];
  return (
    `{"channel":"${CHANNEL}@${symbol}","symbol":"${symbol}","sendTime":"${1_781_740_800_000 + version}",` +
    `"publicAggreDepths":{${sides},"eventType":"${CHANNEL}","fromVersion":"${first}","toVersion":"${last}"${end}}}`
  );
}

function snapshotOf(symbol: string): string {
  const publicAggreDepthsSnapshot = { asks: [], bids: [['1', '2']], lastUpdateId: 103, timestamp: 5 };
  const channel = `spot@public.aggre.depth.snapshot.v3.api.pb@10ms@${symbol}`;
  return JSON.stringify({ channel, symbol, generated: true, publicAggreDepthsSnapshot });
}

/** Records of each message, or its error. */
function readAll(normalizer: Normalizer, messages: readonly string[], usesText: boolean) {
  let fromText = 0;
  const results = messages.map((message, time) => {
    const records: EmittedRecord[] = [];
    const emit = (record: EmittedRecord): unknown => records.push(record);
    try {
      if (usesText && normalizer.readText?.(message, time, emit)) fromText++;
      else normalizer.read(JSON.parse(message), time, emit);
      return records;
    } catch (error) {
      return String(error);
    }
  });
  return { results, fromText };
}

test('changes of MEXC read from text equal those of parsed JSON', () => {
  let fromText = 0;
  let read = 0;
  for (let seed = 0; seed < rounds(900); seed++) {
    const random = seededRandom('mexc', seed);
    const changes = Array.from({ length: 20 }, (_, i) => randomChange(random, 100 + i));
    const messages = [
      ...changes.slice(0, 5),
      snapshotOf('BTCUSDT'),
      snapshotOf('币USDT'),
      ...changes.slice(5),
    ];
    const text = readAll(mexcBooks(false), messages, true);
    assert.deepEqual(text.results, readAll(mexcBooks(false), messages, false).results, `seed ${seed}`);
    fromText += text.fromText;
    read += changes.length;
  }
  assert.ok(fromText > 0.4 * read && fromText < 0.95 * read, `${fromText} of ${read}`);
});
