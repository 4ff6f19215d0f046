import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ComputedRows } from '../../../src/convert/computed/computed-rows.js';
import { parseOutputSelection } from '../../../src/convert/output-selection.js';
import { formatDay } from '../../../src/day-files/day.js';
import type { TradeBarType } from '../../../src/market/message-type-name.js';
import { TRADE_SIDE, TradeBars } from '../../../src/market/trade-bars.js';
import { failedWith, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { csvOf, DAY, run, writeDayFile } from '../day-files.js';
import { tradesOf } from './rows.js';

const DAY_US = 86_400_000_000;
const FILLED = { fill: 'close' } as const;

interface Trade {
  /** Microseconds since the day began. */
  readonly time: number;
  readonly local: number;
  readonly symbol: string;
  readonly side: string;
  readonly price: number;
  readonly amount: number;
}

interface Close {
  readonly close: number;
  readonly local: number;
}

/**
 * Bars of one symbol's trades of a day, without gaps, as rows of CSV: slowly, interval after interval.
 * @param minutes the interval.
 * @param previous the close of the day before.
 */
function slowBars(
  trades: readonly Trade[],
  minutes: number,
  barTime: 'open' | 'close',
  day: number,
  previous?: Close,
): { rows: string[]; last: Close | undefined } {
  const start = day * DAY_US;
  const interval = minutes * 60_000_000;
  /** Trades by interval; late ones are in the latest interval so far. */
  const byInterval = new Map<number, Trade[]>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const trade of trades) {
    const inDay = Math.max(0, Math.min(trade.time, DAY_US - 1));
    latest = Math.max(latest, Math.floor((start + inDay) / interval));
    byInterval.set(latest, [...(byInterval.get(latest) ?? []), trade]);
  }
  const first = Math.min(previous ? Math.ceil(start / interval) : Infinity, ...byInterval.keys());
  const symbol = trades[0]?.symbol ?? 'A';
  const rows: string[] = [];
  let last = previous;
  for (let index = first; index * interval < start + DAY_US; index++) {
    const here = byInterval.get(index) ?? [];
    const nextIndex = [...byInterval.keys()].find((other) => other > index);
    const next = nextIndex === undefined ? undefined : byInterval.get(nextIndex)?.[0];
    const localOfLast = trades.length > 0 ? start + (trades.at(-1)?.local ?? 0) : previous?.local;
    const local = next ? start + next.local : (localOfLast ?? 0);
    const timestamp = (barTime === 'open' ? index : index + 1) * interval;
    const lead = `deribit,${symbol},${timestamp},${local}`;
    const [open] = here;
    if (!open) {
      const { close = 0 } = last ?? {};
      rows.push(`${lead},${close},${close},${close},${close},0,0,0,0,,,`);
      continue;
    }
    let closing = open;
    let [volume, buys, sells, vwap] = [0, 0, 0, 0];
    for (const trade of here) {
      if (Math.floor(trade.time / 1000) >= Math.floor(closing.time / 1000)) closing = trade;
      vwap = (vwap * volume + trade.price * trade.amount) / (volume + trade.amount);
      volume += trade.amount;
      if (trade.side === 'buy') buys += trade.amount;
      if (trade.side === 'sell') sells += trade.amount;
    }
    const prices = here.map(({ price }) => price);
    const values = [open.price, Math.max(...prices), Math.min(...prices), closing.price, volume, buys, sells];
    const times = [start + open.time, start + closing.time];
    rows.push([lead, ...values, here.length, Number.isNaN(vwap) ? '' : vwap, ...times].join());
    last = { close: closing.price, local };
  }
  const end = trades.at(-1);
  return { rows, last: last && { ...last, local: end ? start + end.local : last.local } };
}

const GAPS = [0, 1, 999, 30_000_000, 61_000_000, 300_000_000, 3_600_000_000, 20_000_000_000];

const trades = fc
  .array(
    fc.record({
      gap: fc.constantFrom(...GAPS),
      back: fc.constantFrom(0, 0, 0, 70_000_000, 4_000_000_000),
      symbol: fc.constantFrom('A', 'A', 'B'),
      side: fc.constantFrom('buy', 'sell', 'unknown'),
      price: fc.integer({ min: 9990, max: 10_010 }).map((n) => n / 100),
      amount: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 3000 }).map((n) => n / 1000),
      ),
    }),
    { maxLength: 25 },
  )
  .map((steps): Trade[] => {
    let local = 0;
    return steps.flatMap(({ gap, back, ...trade }) => {
      local += gap;
      return local < DAY_US ? [{ ...trade, local, time: local - back }] : [];
    });
  });

function toCsv(all: readonly Trade[], day = DAY as number): string {
  const offset = (day - DAY) * DAY_US;
  return tradesOf(
    all.map(({ time, local, symbol, side, price, amount }) => [
      offset + time,
      offset + local,
      symbol,
      side,
      `${price}`,
      `${amount}`,
    ]),
  );
}

const rowsOf = (csv: string, symbol: string): string[] =>
  csv.split('\n').filter((line) => line.startsWith(`deribit,${symbol},`));

test('bars of random trades with gaps are those of a slow reference, with either time', async (t) => {
  const dir = await tempDir(t);
  await fc.assert(
    fc.asyncProperty(
      trades,
      fc.constantFrom(1, 7, 60, 1440),
      fc.constantFrom('open' as const, 'close' as const),
      async (all, minutes, barTime) => {
        const source = await writeDayFile(dir, 'trades', toCsv(all), 'GROUP');
        const name = `trade_bar_${minutes}m`;
        const rules = { ...FILLED, ...(barTime === 'open' && { barTime }) };
        const outputSelection = parseOutputSelection([name], rules);
        const { files } = await run([source], { format: 'csv', existing: 'overwrite', outputSelection });
        const csv = await readFile(files[0]?.path ?? '', 'utf8');
        for (const symbol of ['A', 'B']) {
          const own = all.filter((trade) => trade.symbol === symbol);
          const expected = own.length > 0 ? slowBars(own, minutes, barTime, DAY).rows : [];
          assert.equal(rowsOf(csv, symbol).join('\n'), expected.join('\n'));
        }
        assert.equal(files[0]?.rows, csv.split('\n').length - 2);
      },
    ),
    { numRuns: rounds(40) },
  );
});

test('in one stream and in one file, the close of the day before is kept across midnight, and no other', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(trades), { minLength: 2, maxLength: 4 }),
      fc.constantFrom(7, 60),
      async (days, minutes) => {
        const dir = await tempDir(t);
        const last = new Map<string, Close>();
        const expected = new Map<string, string[]>();
        for (const [i, all] of days.entries()) {
          const day = DAY + i;
          if (all) {
            const path = join(dir, `deribit_trades_${formatDay(day as typeof DAY)}_GROUP.csv.gz`);
            await writeFile(path, gzipSync(toCsv(all, day)));
          }
          for (const symbol of ['A', 'B']) {
            const own = (all ?? []).filter((trade) => trade.symbol === symbol);
            const previous = last.get(symbol);
            last.delete(symbol);
            if (!all || (own.length === 0 && !previous)) continue;
            const { rows, last: close } = slowBars(own, minutes, 'close', day, previous);
            const named = rows.map((row) => row.replace(/^deribit,\w+/, `deribit,${symbol}`));
            expected.set(symbol, [...(expected.get(symbol) ?? []), ...named]);
            if (close) last.set(symbol, close);
          }
        }
        if (days.every((all) => all === null)) return;
        const words = ['convert', dir, '--as', `trade_bar_${minutes}m`, '--fill', '-f', 'csv', '-o', '-'];
        const { stdout } = await succeeded(runHere(words));
        const target = join(await tempDir(t), 'all.csv');
        await succeeded(runHere([...words.slice(0, -1), target]));
        assert.equal(await readFile(target, 'utf8'), stdout, 'one file has the rows of the stream');
        for (const symbol of ['A', 'B'])
          assert.equal(rowsOf(stdout, symbol).join('\n'), (expected.get(symbol) ?? []).join('\n'));
      },
    ),
    { numRuns: rounds(20) },
  );
});

test('a long gap is written in small texts', () => {
  const type = parseOutputSelection(['trade_bar_1ms'], FILLED).computed[0] as TradeBarType;
  const rows = new ComputedRows(type);
  const day = { start: DAY * DAY_US, end: (DAY + 1) * DAY_US };
  const bars = new TradeBars(type, { exchange: 'deribit', symbol: 'A' }, (bar) => rows.addBar(bar), day);
  const time = day.end - 1_000_000_000;
  bars.add(7.5, 1, TRADE_SIDE.buy, time, time, false);
  bars.end();
  let lines = 0;
  for (const text of rows.takeTexts()) {
    assert.ok(text.length < 300_000);
    lines += text.toString().split('\n').length - 1;
  }
  assert.equal(lines, 1_000_000);
});

test('--bar-time open is close, an interval earlier; both rules are part of what an output was made from', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 2000));
  const bars = ['convert', dir, '-f', 'csv', '--as', 'rows,trade_bar_1h,trade_bar_500ticks'];
  const path = join(dir, 'deribit_trade_bar_60m_2024-03-01_BTC-PERPETUAL.csv');
  const convert = async (...words: readonly string[]) => {
    const result = await succeeded(runHere([...bars, '--json', ...words]));
    const made = jsonLines(result).filter(({ status }) => status === 'converted');
    return made.map((event) => /deribit_(.+)_2024/.exec(String(event['path']))?.[1]).sort();
  };
  assert.deepEqual(await convert(), ['trade_bar_500ticks', 'trade_bar_60m', 'trades']);
  const close = (await readFile(path, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(await convert('--bar-time', 'open'), ['trade_bar_60m']);
  const open = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const shifted = close.map((row) =>
    row
      .split(',')
      .map((cell, i) => (i === 2 && cell !== 'timestamp' ? `${Number(cell) - 3_600_000_000}` : cell))
      .join(),
  );
  assert.ok(open.length > 2);
  assert.deepEqual(open, shifted);
  assert.deepEqual(await convert('--bar-time', 'open'), []);
  assert.deepEqual(await convert('--bar-time', 'open', '--fill'), ['trade_bar_60m']);
  assert.deepEqual(await convert('--fill', '--bar-time', 'open'), []);
  assert.deepEqual(await convert(), ['trade_bar_60m']);
});

test('the rules need time bars, and hours and days are names of minutes', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 100));
  for (const [words, message] of [
    [['--fill'], /--fill: applies only to time bars; name some with --as, such as trade_bar_1m/],
    [['--as', 'trade_bar_10ticks,quote', '--fill'], /--fill: applies only to time bars/],
    [['--as', 'rows', '--bar-time', 'open'], /--bar-time open: applies only to time bars/],
  ] as const) {
    await failedWith(runHere(['convert', dir, ...words]), 2, message);
  }
  const { computed } = parseOutputSelection([
    'trade_bar_1h',
    'trade_bar_60m',
    'trade_bar_1d',
    'trade_bar_4h',
  ]);
  assert.deepEqual(
    computed.map(({ name }) => name),
    ['trade_bar_60m', 'trade_bar_1440m', 'trade_bar_240m'],
  );
});
