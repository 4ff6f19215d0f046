import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { noPython } from '../../helpers/python.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { assertSameMarket } from './assert-same-market.js';
import { createDay } from './create-day.js';
import { bookCsv, exportHere, MIDNIGHT, tradesCsv, writeDay } from './exporting.js';
import { readRows } from './read-npz.js';
import { type ArrayRow, type BookRow, slowRows, type TradeRow } from './slow-events.js';

const OUTPUT = 'deribit_2024-03-01_BTC.npz';

function trade(timestamp: number, local: number, side: string, price: string, amount: string): TradeRow {
  return { symbol: 'BTC', timestamp: MIDNIGHT + timestamp, local: MIDNIGHT + local, side, price, amount };
}

function level(
  isSnapshot: boolean,
  ...[timestamp, local, side, price, amount]: Parameters<typeof trade>
): BookRow {
  return { ...trade(timestamp, local, side, price, amount), isSnapshot };
}

const TRADES = [trade(10, 5, 'buy', '100.5', '1'), trade(20, 26, 'sell', '100.25', '2.5')];
const BOOK = [
  level(true, 0, 3, 'bid', '100', '1'),
  level(true, 0, 3, 'bid', '99', '3'),
  level(true, 0, 3, 'ask', '101', '1'),
  level(false, 25, 18, 'ask', '101', '4'),
];

test('exports the test vector of the specification', async (t) => {
  const dir = await tempDir(t);
  const { outputs, warnings } = await exportHere(await writeDay(dir, tradesCsv(TRADES), bookCsv(BOOK)), dir);
  assert.deepEqual(
    outputs.map(({ path, rows }) => [path, rows]),
    [[OUTPUT, 9]],
  );
  assert.deepEqual(warnings, []);
  const rows = readRows(await readFile(join(dir, OUTPUT))).map(({ ev, exch, local, px, qty }) =>
    [ev.toString(16), toMicros(exch), toMicros(local), px, qty].join(' '),
  );
  assert.deepEqual(rows, [
    'e0000003 0 10 99 0',
    'e0000004 0 10 100 1',
    'e0000004 0 10 99 3',
    'd0000003 0 10 101 0',
    'd0000004 0 10 101 1',
    'e0000002 10 12 100.5 1',
    '90000002 20 33 100.25 2.5',
    'd0000001 25 25 101 4',
    '50000002 20 33 100.25 2.5',
  ]);
});

function toMicros(time: bigint): number {
  return Number(time / 1000n - BigInt(MIDNIGHT));
}

for (const seed of Array.from({ length: rounds(60) }, (_, at) => at + 1))
  test(`exports a random day as the specification says, seed ${seed}`, async (t) => {
    const dir = await tempDir(t);
    const { trades, book } = createDay(seed);
    const mode = (['process', 'ignore-sod', 'ignore'] as const)[seed % 3] as 'process';
    const latency = (
      [
        ['0', 0n],
        ['1500ns', 1500n],
        ['2.5us', 2500n],
        ['3ms', 3_000_000n],
      ] as const
    )[seed % 4];
    const [text, baseLatencyNs] = latency as readonly [string, bigint];
    const sources = await writeDay(dir, tradesCsv(trades), bookCsv(book));
    await exportHere(sources, dir, { snapshots: mode, 'base-latency': text });
    const rows = readRows(await readFile(join(dir, OUTPUT)));
    assert.deepEqual(rows, slowRows(trades, book, { baseLatencyNs, snapshots: mode }));
    assertAscends(rows);
    if (mode === 'process') assertSameMarket(rows, trades, book);
  });

/** Both clocks ascend among the rows that are valid on them. */
function assertAscends(rows: readonly ArrayRow[]): void {
  for (const [bit, clock] of [
    [31n, 'exch'],
    [30n, 'local'],
  ] as const) {
    const times = rows.filter(({ ev }) => (ev >> bit) & 1n).map((row) => row[clock]);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => Number(a - b)),
    );
  }
}

test('writes an array without rows for two files without rows, with and without a header', async (t) => {
  for (const csv of [tradesCsv([]), '']) {
    const dir = await tempDir(t);
    const { outputs } = await exportHere(await writeDay(dir, csv, csv === '' ? '' : bookCsv([])), dir);
    assert.equal(outputs[0]?.rows, 0);
    assert.deepEqual(readRows(await readFile(join(dir, OUTPUT))), []);
  }
});

test('splits grouped files by symbol and warns of symbols with one data type', async (t) => {
  const dir = await tempDir(t);
  const { trades, book } = createDay(11, ['BTC/USD', 'eth', 'XRP']);
  const givenTrades = [
    ...trades.filter(({ symbol }) => symbol !== 'XRP'),
    { ...TRADES[0], symbol: 'SOL' } as TradeRow,
  ];
  const sources = await writeDay(dir, tradesCsv(givenTrades), bookCsv(book), 'PERPETUALS');
  const { outputs, warnings } = await exportHere(sources, dir);
  assert.deepEqual(outputs.map(({ path }) => path).sort(), [
    'deribit_2024-03-01_BTC-USD.npz',
    'deribit_2024-03-01_ETH.npz',
  ]);
  assert.deepEqual(warnings, [
    'deribit_2024-03-01_PERPETUALS: skipping symbols without rows of incremental_book_L2: SOL',
    'deribit_2024-03-01_PERPETUALS: skipping symbols without rows of trades: XRP',
  ]);
  const ofEth = <T extends TradeRow>(rows: readonly T[]): T[] =>
    rows.filter(({ symbol }) => symbol === 'eth');
  assert.deepEqual(
    readRows(await readFile(join(dir, 'deribit_2024-03-01_ETH.npz'))),
    slowRows(ofEth(givenTrades), ofEth(book), { baseLatencyNs: 0n, snapshots: 'process' }),
  );
});

test('refuses a side of the book that is neither bid nor ask, and cells without a number', async (t) => {
  const dir = await tempDir(t);
  const refuse = async (
    trades: readonly TradeRow[],
    book: readonly BookRow[],
    message: RegExp,
  ): Promise<void> => {
    const sources = await writeDay(dir, tradesCsv(trades), bookCsv(book));
    await assert.rejects(exportHere(sources, dir), { code: 'corrupt', message });
  };
  const wrong = { ...BOOK[3], side: 'buy' } as BookRow;
  await refuse(TRADES, [...BOOK, wrong], /line 6, column side: "buy" is neither bid nor ask/);
  await refuse(TRADES, [{ ...wrong, side: '' }], /line 2, column side: "" is neither bid nor ask/);
  await refuse([{ ...TRADES[0], price: '' } as TradeRow], BOOK, /line 2, column price: "" is empty/);
});

test('numpy loads the array', { skip: noPython('numpy') }, async (t) => {
  const dir = await tempDir(t);
  const { trades, book } = createDay(8);
  await exportHere(await writeDay(dir, tradesCsv(trades), bookCsv(book)), dir);
  const script = `
import numpy, sys
data = numpy.load(sys.argv[1])['data']
assert data.dtype == numpy.dtype([('ev', '<u8'), ('exch_ts', '<i8'), ('local_ts', '<i8'), ('px', '<f8'), ('qty', '<f8'), ('order_id', '<u8'), ('ival', '<i8'), ('fval', '<f8')])
for row in data: print(*(row[name] for name in ('ev', 'exch_ts', 'local_ts')), float(row['px']).hex(), float(row['qty']).hex())
`;
  const printed = execFileSync('python3', ['-c', script, join(dir, OUTPUT)], { encoding: 'utf8' });
  const rows = printed
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [ev = '', exch = '', local = '', px = '', qty = ''] = line.split(' ');
      return {
        ev: BigInt(ev),
        exch: BigInt(exch),
        local: BigInt(local),
        px: parseHex(px),
        qty: parseHex(qty),
      };
    });
  assert.ok(rows.length > 0);
  assert.deepEqual(rows, slowRows(trades, book, { baseLatencyNs: 0n, snapshots: 'process' }));
});

/** Parses a number such as 0x1.9p+6, as Python writes it. */
function parseHex(text: string): number {
  const [, whole = '', fraction = '', exponent = ''] = /^0x(\d)\.([0-9a-f]+)p([-+]\d+)$/.exec(text) ?? [];
  return (Number(whole) + Number.parseInt(fraction, 16) / 16 ** fraction.length) * 2 ** Number(exponent);
}
