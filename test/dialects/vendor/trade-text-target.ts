import assert from 'node:assert/strict';
import { TickhaulError } from '../../../src/base/errors.js';
import { FeedLines } from '../../../src/dialects/feed-lines.js';
import { planFeed } from '../../../src/dialects/feed-plan.js';
import { createLocalTimeParser } from '../../../src/dialects/local-time-parser.js';
import { createMessageParser } from '../../../src/dialects/message-parser.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../../src/market/names/message-type-name.js';
import type { Random } from '../../../src/sandbox/market/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';

const START = Date.parse('2024-03-01T00:00:00Z');
const PERIOD = { start: START * 1000, end: START * 1000 + 86_400_000_000 };

type Event = readonly [localTimestamp: string, message: string] | 'break';

/** Binance's trades in usual and unusual forms, read by the text parser and as parsed messages. */
export const tradeTextTarget: FuzzTarget = {
  name: 'trade-text',
  async round(random, keep) {
    const types = pick(random, ['trade', 'trade', 'trade,book_change', 'trade_bar_2ticks,trade,quote']);
    const source = {
      exchange: pick(random, ['binance', 'binance-futures', 'binance-delivery', 'binance-us']),
      types: types.split(',').map(parseMessageType),
      symbols: random.chance(0.3) ? ['btcusdt', '币安人生USDT'] : undefined,
      withDisconnects: random.chance(0.5),
    };
    const plan = await planFeed({ ...source, period: PERIOD });
    const events = randomEvents(random);
    keep(Buffer.from(events.map(String).join('\n')));
    const asText = new FeedLines({ ...source, plan });
    const texts = linesOf(asText, events, (event, out) => asText.addMessage(...event, out));
    const asParsed = new FeedLines({ ...source, plan });
    const parse = createMessageParser(source.exchange);
    const parseTime = createLocalTimeParser();
    const parsed = linesOf(asParsed, events, ([time, message], out) =>
      asParsed.addParsedMessage(parse(message), parseTime(time), out, time),
    );
    assert.deepEqual(texts, parsed);
  },
};

function linesOf(
  lines: FeedLines,
  events: readonly Event[],
  addMessage: (event: Exclude<Event, 'break'>, out: LineBuffer) => void,
): { readonly text: string; readonly error: string } {
  const out = new LineBuffer(1);
  let error = '';
  try {
    for (const event of events) {
      if (event === 'break') lines.addDisconnect(out);
      else addMessage(event, out);
    }
  } catch (thrown) {
    assert.ok(thrown instanceof TickhaulError, String(thrown));
    error = thrown.message;
  }
  return { text: Buffer.from(out.bytes.subarray(0, out.length)).toString(), error };
}

function randomEvents(random: Random): readonly Event[] {
  let ms = START;
  return Array.from({ length: 1 + random.int(12) }, () => {
    if (random.chance(0.1)) return 'break';
    ms += pick(random, [0, 0, 1, 700, -2]);
    const message = randomTrade(random);
    return [
      `${new Date(ms).toISOString().slice(0, -1)}1234Z`,
      random.chance(0.4) ? changed(random, message) : message,
    ];
  });
}

function randomTrade(random: Random): string {
  const number = (): string => `${random.int(10 ** random.int(6))}.${random.int(10 ** 6)}`;
  const odd = random.chance(0.3);
  const value = (usual: string, ...others: readonly string[]): string =>
    odd && random.chance(0.2) ? pick(random, others) : usual;
  const symbol = pick(random, ['BTCUSDT', 'ETHUSD_PERP', '币安人生USDT']);
  const time = value(
    String(START + random.int(1e6)),
    '0',
    '1709251200000123',
    '1709251200000.5',
    '1.7e12',
    '-1',
  );
  const text = (usual: string): string =>
    value(
      `"${usual}"`,
      usual,
      '""',
      'null',
      '"1e3"',
      '"-0"',
      '" 5"',
      '"0x10"',
      '"\\u0031"',
      '"Infinity"',
      '[]',
    );
  const fields = {
    ...{ e: value('"trade"', '"aggTrade"', '1'), E: time },
    ...(random.chance(0.5) && { T: time }),
    ...{ s: text(symbol), t: value(String(random.int(1e9)), '9007199254740993', '1e3', '-1', '0.5', '"7"') },
    ...{ p: text(number()), q: text(number()) },
    ...(random.chance(0.3) && { X: pick(random, ['"MARKET"', '"ADL"', '"NA"', '"INSURANCE_FUND"']) }),
    ...(random.chance(0.3) && { b: '12', a: value('0', '1.5', 'null') }),
  };
  const isSpot = !('T' in fields);
  const m = value(String(random.chance(0.5)), '0', '1', 'null', '"false"');
  const all = { ...fields, ...(isSpot && { T: time }), m, ...(isSpot && { M: value('true', '1') }) };
  const data = Object.entries(all).map(([key, cell]) => `"${key}":${cell}`);
  const stream = value(
    `${symbol.toLowerCase()}@trade`,
    'x@depth@100ms',
    '@trade',
    'x@trade@y',
    'a\\u0040trade',
  );
  return `{"stream":"${stream}","data":{${data.join()}}}`;
}

const LIKELY = [...'{}[]":,.0123456789-+eE\\ aX@\u0001é', '"T":1', ',"X":"ADL"', '"s":"A",', 'true', 'null'];

/** Inserts, removes or repeats text at any position. */
function changed(random: Random, text: string): string {
  const at = random.int(text.length + 1);
  const length = random.int(4);
  const inserted = random.chance(0.3) ? text.slice(at, at + random.int(30)) : pick(random, ['', ...LIKELY]);
  return text.slice(0, at) + inserted + text.slice(at + length);
}
