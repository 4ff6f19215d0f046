import assert from 'node:assert/strict';
import { TickhaulError } from '../../../src/base/errors.js';
import {
  createLocalTimeParser,
  createMessageParser,
  FeedLines,
} from '../../../src/exchange-adapters/feed-lines.js';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { BOOK_TEXT_FORMS } from '../../../src/exchange-adapters/message-text/book-text.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';
import { createBookWriter } from './book-writer.js';
import { randomTrade } from './random-trade.js';

const BINANCE = ['binance', 'binance-futures', 'binance-delivery', 'binance-us'];
/** Days on which exchanges have different normalizers. */
const DAYS = ['2022-06-01', '2024-03-01', '2026-06-01'];

type Event = readonly [localTimestamp: string, message: string] | 'break';

/** Messages in usual and unusual forms, read from text and as parsed messages. */
export const feedTextTarget: FuzzTarget = {
  name: 'feed-text',
  async round(random, keep) {
    const isTrade = random.chance(0.3);
    const exchange = pick(random, isTrade ? BINANCE : Object.keys(BOOK_TEXT_FORMS));
    const types = pick(
      random,
      isTrade
        ? ['trade', 'trade', 'trade,book_change', 'trade_bar_2ticks,trade,quote']
        : ['book_change', 'book_change', 'trade,book_change', 'book_snapshot_2_0ms,book_change'],
    );
    const source = {
      exchange,
      types: types.split(',').map(parseMessageType),
      symbols: random.chance(0.3) ? ['btcusdt', '币安人生USDT', 'BTC-USDT', 'btc-perpetual'] : undefined,
      withDisconnects: random.chance(0.5),
    };
    const start = Date.parse(pick(random, DAYS));
    const period = { start: start * 1000, end: start * 1000 + 86_400_000_000 };
    const plan = await planFeed({ ...source, period });
    const writeBook = createBookWriter(random, exchange, start);
    const events = randomEvents(random, start, () => (isTrade ? randomTrade(random, start) : writeBook()));
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

function randomEvents(random: Random, start: number, writeMessage: () => string): readonly Event[] {
  const changedShare = pick(random, [0, 0.05, 0.4]);
  let ms = start;
  return Array.from({ length: 1 + random.int(12) }, () => {
    if (random.chance(0.1)) return 'break';
    ms += pick(random, [0, 0, 1, 700, -2]);
    const message = writeMessage();
    return [
      `${new Date(ms).toISOString().slice(0, -1)}1234Z`,
      random.chance(changedShare) ? changed(random, message) : message,
    ];
  });
}

const LIKELY = [...'{}[]":,.0123456789-+eE\\ aX@\u0001é', '"T":1', ',"X":"ADL"', '"s":"A",', 'true', 'null'];

/** Inserts, removes or repeats text at any position. */
function changed(random: Random, text: string): string {
  const at = random.int(text.length + 1);
  const length = random.int(4);
  const inserted = random.chance(0.3) ? text.slice(at, at + random.int(30)) : pick(random, ['', ...LIKELY]);
  return text.slice(0, at) + inserted + text.slice(at + length);
}
