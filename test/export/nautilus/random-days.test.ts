import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rounds } from '../../helpers/services.js';
import {
  BOOK_COLUMNS,
  type CatalogRow,
  exportDays,
  QUOTE_COLUMNS,
  snapshotColumns,
  type TestDay,
  TRADE_COLUMNS,
} from './catalog.js';
import { makeSlowCatalog, type SlowPrecision } from './slow-catalog.js';

const digits = (max: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`));
const decimal = fc.oneof(
  digits(9),
  fc.tuple(digits(9), digits(8)).map((parts) => parts.join('.')),
  fc.tuple(digits(7), digits(30)).map((parts) => parts.join('.')),
  fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -12, max: 6 })).map((parts) => parts.join('e')),
  fc.constantFrom('0', '0.5', '0.05', '0.005', '1.4999999999999999999', '2.50', '0.000'),
);
const price = fc.oneof(
  decimal,
  decimal.map((text) => `-${text}`),
);
const side = fc.constantFrom('bid', 'ask');
const optional = (cell: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(cell, fc.constant(''));
const text = (values: fc.Arbitrary<string>[]): fc.Arbitrary<string[]> =>
  fc.tuple(...values) as unknown as fc.Arbitrary<string[]>;

const id = fc.oneof(digits(12), fc.constantFrom('', 'x'.repeat(36), 'y'.repeat(37), 'é'), fc.uuid());
const snapshot = (depth: number): fc.Arbitrary<string[]> => {
  const level = [optional(price), optional(decimal)];
  return text(Array.from({ length: 2 * depth }, () => level).flat());
};

const TYPES: Readonly<Record<string, { columns: readonly string[]; cells: fc.Arbitrary<string[]> }>> = {
  trades: {
    columns: TRADE_COLUMNS,
    cells: text([id, fc.constantFrom('buy', 'sell', 'unknown', ''), price, decimal]),
  },
  quotes: {
    columns: QUOTE_COLUMNS,
    cells: text([optional(decimal), optional(price), optional(price), optional(decimal)]),
  },
  incremental_book_L2: {
    columns: BOOK_COLUMNS,
    cells: text([fc.constantFrom('true', 'false'), side, price, decimal]),
  },
  book_snapshot_5: { columns: snapshotColumns(5), cells: snapshot(5) },
  book_snapshot_25: { columns: snapshotColumns(25), cells: snapshot(25) },
};

interface RandomDay {
  readonly day: TestDay;
  readonly precision: SlowPrecision;
}

/** A day in which rows may be out of order, of one or several symbols. */
function randomDay(dataType: string): fc.Arbitrary<RandomDay> {
  const { columns, cells } = TYPES[dataType] as (typeof TYPES)[string];
  const row = fc.record({
    symbol: fc.integer({ min: 0, max: 2 }),
    step: fc.constantFrom(0, 0, 0, 1, 7),
    latency: fc.constantFrom(0, 3),
    back: fc.oneof(
      { weight: 15, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
    ),
    cells,
  });
  return fc
    .record({
      rows: fc.array(row, { maxLength: 120 }),
      symbols: fc.constantFrom(1, 3),
      isOrdered: fc.boolean(),
      price: fc.integer({ min: 0, max: 9 }),
      size: fc.integer({ min: 0, max: 9 }),
      bits: fc.constantFrom(64 as const, 128 as const),
    })
    .map(({ rows, symbols, isOrdered, ...precision }) => {
      let time = 100;
      const made = rows.map(({ symbol, step, latency, back, cells }) => {
        time += step;
        const local = time + 3 - (isOrdered ? 0 : back);
        return [`SYM${symbol % symbols}`, time - latency, local, ...cells] as const;
      });
      return { day: { name: `bitmex_${dataType}_2024-03-01_PERPETUALS`, columns, rows: made }, precision };
    });
}

for (const dataType of Object.keys(TYPES)) {
  test(`writes the rows of random days of ${dataType} as the specification says`, async (t) => {
    await fc.assert(
      fc.asyncProperty(randomDay(dataType), async ({ day, precision }) => {
        const { price, size, bits } = precision;
        const flags = [
          '--price-precision',
          `${price}`,
          '--size-precision',
          `${size}`,
          '--precision',
          `${bits}`,
        ];
        const { exitCode, files } = await exportDays(t, [day], flags);
        assert.equal(exitCode, 0);
        const slow = makeSlowCatalog(day, precision);
        const expected = [...slow].filter(([, rows]) => rows.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(
          files.map(({ path, rows }) => [path.split('/')[2], rows]),
          expected.map(([symbol, rows]) => [`${symbol}.BITMEX`, rows]),
        );
        assertBooks(
          day,
          files.map(({ rows }) => rows),
          precision,
        );
      }),
      { numRuns: rounds(20), endOnFailure: true },
    );
  });
}

/** Compares the book after each event: rebuilt from deltas, and from the rows of the day. */
function assertBooks(
  { name, rows }: TestDay,
  files: readonly (readonly CatalogRow[])[],
  precision: SlowPrecision,
): void {
  if (!name.includes('incremental_book_L2')) return;
  const symbols = [...new Set(rows.map(([symbol]) => symbol))].sort();
  for (const [i, symbol] of symbols.entries()) {
    const books: unknown[] = [];
    const book = new Map<string, bigint>();
    for (const delta of files[i] ?? []) {
      const key = `${delta['side']} ${delta['price']}`;
      if (delta['action'] === 4) book.clear();
      else if (delta['action'] === 3) book.delete(key);
      else book.set(key, delta['size'] as bigint);
      if (delta['flags'] === 128) books.push([...book].sort());
    }
    assert.deepEqual(
      books,
      rebuildBooks(
        rows.filter((row) => row[0] === symbol),
        precision,
      ),
    );
  }
}

/** Books at the end of each exchange time, straight from the rows. */
function rebuildBooks(rows: TestDay['rows'], { price, size, bits }: SlowPrecision): unknown[] {
  const sorted = rows.toSorted((a, b) => a[2] - b[2]);
  const book = new Map<string, bigint>();
  const books: unknown[] = [];
  const scale = bits === 128 ? 16 : 9;
  for (const [i, [, time, , isSnapshot, side, priceText = '', amountText = '']] of sorted.entries()) {
    const before = sorted[i - 1];
    if (isSnapshot === 'true' && !(before?.[3] === 'true' && before[1] === time)) book.clear();
    const amount = roundText(amountText, size, scale);
    const key = `${side === 'bid' ? 1 : 2} ${roundText(priceText, price, scale)}`;
    if (amount === 0n) book.delete(key);
    else book.set(key, amount);
    if (sorted[i + 1]?.[1] !== time) books.push([...book].sort());
  }
  return books;
}

function roundText(text: string, decimals: number, scale: number): bigint {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = fraction.length - Number(exponent);
  const numerator = BigInt(whole + fraction) * 10n ** BigInt(decimals + Math.max(0, -shift));
  const denominator = 10n ** BigInt(Math.max(0, shift));
  const rounded = (2n * numerator + denominator) / (2n * denominator);
  return (text.startsWith('-') ? -rounded : rounded) * 10n ** BigInt(scale - decimals);
}
