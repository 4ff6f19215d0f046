import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { BOOK_TEXT_FORMS } from '../../../src/exchange-adapters/message-text/book-text.js';
import type { Normalizer } from '../../../src/exchange-adapters/normalizer.js';
import type { EmittedRecord, MessageRecord, TextLevels } from '../../../src/market/message-record.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import type { PriceLevel } from '../../../src/market/messages.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { eachRound } from '../../helpers/services.js';
import { createBookWriter } from './book-writer.js';
import { feedTextTarget } from './feed-text-target.js';

const DAYS = ['2024-03-01', '2026-06-01'];
const MESSAGES = 20;

async function createNormalizer(exchange: string, day: string): Promise<() => Normalizer> {
  const start = Date.parse(day) * 1000;
  const types = [parseMessageType('book_change')];
  const { segments } = await planFeed({ exchange, types, period: { start, end: start + 1 } });
  return () => segments[0]?.normalizers()[0] ?? assert.fail(`${exchange} has no normalizer`);
}

/** A copy of a record, whose levels are valid until the next message is read. */
function copyRecord(record: EmittedRecord): MessageRecord {
  if (record.type !== 'book_change') return record;
  const { bids, asks } = record;
  return { ...record, bids: copyLevels(bids), asks: copyLevels(asks) };
}

/** The levels of both forms, which must be equal. */
function copyLevels(levels: readonly PriceLevel[] | TextLevels): readonly PriceLevel[] {
  if (!('json' in levels)) return levels;
  const { count, prices, amounts, json, jsonBytes } = levels;
  const copy = Array.from({ length: count }, (_, i) => ({ price: prices[i] ?? 0, amount: amounts[i] ?? 0 }));
  const text = Buffer.from(json.buffer, json.byteOffset, jsonBytes).toString();
  assert.equal(`[${text}]`, JSON.stringify(copy));
  return copy;
}

interface Reading {
  readonly records: readonly MessageRecord[];
  readonly error: string | undefined;
  /** Numbers of messages that were read from text, and of all that have records. */
  readonly fromText: number;
  readonly recorded: number;
}

function read(normalizer: Normalizer, messages: readonly string[], usesText: boolean): Reading {
  const records: MessageRecord[] = [];
  let fromText = 0;
  let recorded = 0;
  let error: string | undefined;
  for (const [time, message] of messages.entries()) {
    const { length } = records;
    const emit = (record: EmittedRecord): unknown => records.push(copyRecord(record));
    try {
      if (usesText && normalizer.readText?.(message, time, emit)) fromText++;
      else normalizer.read(JSON.parse(message), time, emit);
    } catch (thrown) {
      error = String(thrown);
      break;
    }
    if (records.length > length) recorded++;
  }
  return { records, error, fromText, recorded };
}

for (const exchange of Object.keys(BOOK_TEXT_FORMS)) {
  test(`${exchange}: books read from text equal those of the normalizer`, async () => {
    let fromText = 0;
    let recorded = 0;
    for (const day of DAYS) {
      const create = await createNormalizer(exchange, day);
      await eachRound(100, (seed) => {
        const write = createBookWriter(seededRandom(exchange, day, seed), exchange, Date.parse(day), 0);
        const messages = Array.from({ length: MESSAGES }, write);
        const found = read(create(), messages, true);
        const expected = read(create(), messages, false);
        assert.deepEqual(found.records, expected.records);
        assert.equal(found.error, expected.error);
        fromText += found.fromText;
        recorded += found.recorded;
      });
    }
    assert.ok(fromText > recorded / 3, `${fromText} of ${recorded} messages were read from text`);
  });
}

const update = (first: number, last: number): string =>
  '{"stream":"btcusdt@depth@100ms","data":{"e":"depthUpdate","E":1709251200001,"s":"BTCUSDT",' +
  `"U":${first},"u":${last},"b":[["61234.50","0.00000000"]],"a":[]}}`;

test('an update is read from text after the normalizer emitted an earlier one of the book', async () => {
  const normalizer = (await createNormalizer('binance', '2024-03-01'))();
  const snapshot = { stream: 'btcusdt@depthSnapshot', data: { lastUpdateId: 10, bids: [], asks: [] } };
  const readNext = (message: string): string => {
    const records: EmittedRecord[] = [];
    const way = normalizer.readText?.(message, 0, (record) => records.push(record)) ? 'text' : 'parsed';
    if (way === 'parsed') normalizer.read(JSON.parse(message), 0, (record) => records.push(record));
    return `${way} ${records.length}`;
  };
  const messages = [
    update(8, 9),
    JSON.stringify(snapshot),
    update(9, 10),
    update(11, 12),
    update(13, 14),
    update(11, 11),
  ];
  assert.deepEqual(messages.map(readNext), [
    'parsed 0',
    'parsed 1',
    'parsed 0',
    'parsed 1',
    'text 1',
    'parsed 1',
  ]);
});

test('a form is not used while the normalizer reads other channels', async () => {
  const before = (await createNormalizer('bybit', '2022-06-01'))();
  assert.equal(before.readText, undefined);
});

test('for any changed text, messages read from text give the same lines or the same error', async () => {
  await eachRound(300, (round) => feedTextTarget.round(seededRandom('book-text', round), () => {}));
});
