import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import { FeedLines } from '../../../src/exchange-adapters/feed-lines.js';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import { generateDayFileText } from '../../../src/sandbox/archive/generate-day-file.js';
import { createSyntheticFeeds } from '../../../src/sandbox/feed-lines/synthetic-feeds.js';
import { createSyntheticExchanges } from '../../../src/sandbox/simulation/synthetic-exchanges.js';
import { linesOf } from '../../market/lines-of.js';
import { ALLOWANCES, type Allowance, type Message } from './allowances.js';

/** A whole day, with a connection loss in the middle. */
const DAY = parseDay('2024-03-01');
const PERIOD = { start: DAY * 86_400_000_000, end: (DAY + 1) * 86_400_000_000 };
const SIZE = { rows: 500, seed: 2 };
const FEEDS = createSyntheticFeeds({
  ...SIZE,
  breaks: 0,
  exchanges: createSyntheticExchanges(parseDay('2024-03-10'), SIZE.rows),
});

const SPOT = [
  'trade',
  'book_change',
  'book_ticker',
  'book_snapshot_5_0ms',
  'book_snapshot_3_10s',
  'trade_bar_1m',
  'trade_bar_5ticks',
];
const DERIVATIVE = [...SPOT, 'derivative_ticker', 'liquidation'];

/** Types that feed and day files both have, by exchange and symbols. */
const MARKETS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['bitmex', ['XBTUSD', 'ETHUSD'], DERIVATIVE],
  ['binance-futures', ['BTCUSDT', 'DOGEUSDT'], DERIVATIVE],
  ['deribit', ['BTC-PERPETUAL'], DERIVATIVE],
  ['deribit', ['OPTIONS'], ['option_summary']],
  ['bybit', ['BTCUSDT'], DERIVATIVE],
  ['okex-swap', ['ETH-USDT-SWAP'], DERIVATIVE],
  ['coinbase', ['BTC-USD'], SPOT],
  ['lighter', ['0', '1'], DERIVATIVE],
];

/**
 * The normalized lines of a feed by dataset symbol and name; an options chain is requested without symbols.
 * @param leftOut lines of the feed that are skipped.
 */
async function readFeed(
  exchange: string,
  dataSymbols: readonly string[],
  names: readonly string[],
  leftOut: RegExp | undefined,
): Promise<(symbol: string, name: string) => readonly string[]> {
  const isChain = dataSymbols.includes('OPTIONS');
  const types = names.map(parseMessageType);
  const symbols = isChain ? undefined : dataSymbols;
  const plan = await planFeed({ exchange, types, symbols, period: PERIOD });
  const lines = new FeedLines({ exchange, types, symbols, withDisconnects: false, plan });
  const out = new LineBuffer();
  const [{ filters } = { filters: [] }] = plan.segments;
  for (let minute = DAY * 1440; minute < (DAY + 1) * 1440; minute++) {
    const text = FEEDS.minute(exchange, filters, minute) ?? '';
    for (const line of text.split('\n').slice(0, -1)) {
      if (line === '') lines.addDisconnect(out);
      else if (!leftOut?.test(line)) lines.addMessage(line.slice(0, 28), line.slice(29), out);
    }
  }
  const found = new Map<string, string[]>();
  const text = Buffer.from(out.bytes.subarray(0, out.length)).toString();
  for (const line of text.split('\n').slice(0, -1)) {
    const { symbol, name, type } = JSON.parse(line) as Message;
    const key = `${isChain ? 'OPTIONS' : symbol} ${name ?? type}`;
    const lines = found.get(key);
    if (lines) lines.push(line);
    else found.set(key, [line]);
  }
  return (symbol, name) => found.get(`${symbol} ${name}`) ?? [];
}

const csvByFile = new Map<string, string>();

function readDayFile(exchange: string, symbol: string, name: string): readonly string[] {
  const { dayFileType } = parseMessageType(name);
  const file = { exchange, dataType: dayFileType, symbol, day: DAY };
  const key = `${exchange} ${dayFileType} ${symbol}`;
  const csv = csvByFile.get(key) ?? [...generateDayFileText(file, [symbol], SIZE)].join('');
  csvByFile.set(key, csv);
  return linesOf(dayFileType, csv, [name]).map(({ text }) => text);
}

/** Allowances that were used. */
const used = new Set<Allowance>();

for (const [exchange, symbols, names] of MARKETS) {
  test(`${exchange} ${symbols}: the normalized feed has the messages of the day files`, async () => {
    const allowance = (name: string): Allowance | undefined =>
      ALLOWANCES.find((one) => one.exchange === exchange && one.types.test(name));
    const lacking = names.filter((name) => allowance(name)?.leftOut);
    for (const together of [lacking, names.filter((name) => !lacking.includes(name))]) {
      if (together.length === 0) continue;
      const leftOut = allowance(together[0] ?? '')?.leftOut;
      const feed = await readFeed(exchange, symbols, together, leftOut);
      for (const [symbol, name] of symbols.flatMap((symbol) =>
        together.map((name) => [symbol, name] as const),
      )) {
        const reported = readDayFile(exchange, symbol, name);
        const sent = feed(symbol, name);
        assert.ok(reported.length > 20, `${symbol} ${name}: ${reported.length}`);
        const allowed = allowance(name);
        const change = (lines: readonly string[]): readonly unknown[] =>
          allowed?.change?.(lines.map((line) => JSON.parse(line) as Message)) ?? lines;
        assert.deepEqual(change(sent), change(reported), `${symbol} ${name}`);
        if (allowed && (leftOut || sent.join() !== reported.join())) used.add(allowed);
      }
    }
  });
}

test('every allowance is needed', () => {
  assert.deepEqual(
    ALLOWANCES.filter((allowance) => !used.has(allowance)),
    [],
  );
});
