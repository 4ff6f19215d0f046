import fc from 'fast-check';
import { type DataType, dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Row } from '../naive/messages.js';

/** 2024-03-01 in microseconds. */
export const DAY_START = 1_709_251_200_000_000;
export const DAY_END = DAY_START + 86_400_000_000;

/** Numbers in all forms of day files, and in some invalid ones. */
export const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n.toExponential()),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.nat({ max: 21 })).map(([digits, point]) => {
    const text = String(digits < 0n ? -digits : digits).padStart(point + 1, '0');
    const at = text.length - point;
    return `${digits < 0n ? '-' : ''}${text.slice(0, at)}${point > 0 ? `.${text.slice(at)}` : ''}`;
  }),
  fc.integer({ min: -100_000, max: 100_000 }).map((n) => (n / 100).toFixed(3)),
  fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '00',
    '007.50',
    '-00.1',
    '1E5',
    '1e21',
    '999999999999999',
    '0.000001',
    '1e-7',
    '0.1',
  ),
);

const GAPS = [0, 0, 1, 500, 1000, 49_000, 99_999, 100_000, 250_000, 1_500_000, 61_000_000, 4_000_000_000];

/**
 * Typical times: usually slightly later than before, sometimes earlier, sometimes without an exchange time.
 */
export function withTimes(rows: fc.Arbitrary<Row[]>): fc.Arbitrary<Row[]> {
  const step = fc.record({
    gap: fc.constantFrom(...GAPS),
    back: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(-700, -120_000, -1_000_000)),
    delay: fc.constantFrom(0, 0, 3, 999, 1000, 70_123),
  });
  return fc.tuple(rows, fc.array(step, { minLength: 1, maxLength: 60 })).map(([all, steps]) => {
    let local = DAY_START;
    return all.map((row, i) => {
      const { gap, back, delay } = steps[i % steps.length] ?? { gap: 0, back: 0, delay: 0 };
      local += gap + back;
      return { ...row, timestamp: `${local - delay}`, local_timestamp: `${local}` };
    });
  });
}

const owner = fc.record({
  exchange: fc.constant('binance'),
  symbol: fc.constantFrom('BTCUSDT', 'BTCUSDT', 'ETHUSDT'),
});

/** Trades with few prices, so that highs and lows repeat, and with amounts whose sums are inexact. */
export const tradeRows = withTimes(
  fc.array(
    fc
      .tuple(
        owner,
        fc.record({
          id: fc.oneof(fc.constant(''), fc.nat().map(String)),
          side: fc.constantFrom('buy', 'sell', 'unknown', ''),
          price: fc.integer({ min: 9990, max: 10_010 }).map((n) => `${n / 100}`),
          amount: fc.oneof(
            fc.constant('0'),
            fc.integer({ min: 1, max: 3000 }).map((n) => `${n / 1000}`),
          ),
        }),
      )
      .map(([a, b]) => ({ ...a, ...b })),
    { maxLength: 60 },
  ),
);

const level = fc.record({
  side: fc.constantFrom('bid', 'ask'),
  price: fc.integer({ min: -3, max: 60 }).map((n) => `${(1000 + n) / 10}`),
  amount: fc.oneof(
    fc.constant('0'),
    fc.integer({ min: 1, max: 40 }).map((n) => `${n / 10}`),
  ),
});

/** Book changes with bids and asks at the same prices, so that they cross, and some snapshots. */
export const bookRows = withTimes(
  fc.array(
    fc
      .tuple(
        owner,
        fc.oneof({ weight: 2, arbitrary: fc.constant('false') }, fc.constant('true')),
        fc.array(level, { minLength: 1, maxLength: 12 }),
      )
      .map(([a, is_snapshot, levels]) => ({ ...a, is_snapshot, levels: JSON.stringify(levels) })),
    { maxLength: 60 },
  ) as fc.Arbitrary<Row[]>,
).map((changes) =>
  changes.flatMap(({ levels = '[]', ...row }) =>
    (JSON.parse(levels) as Row[]).map((one) => ({ ...row, ...one })),
  ),
);

/** Day files with one message per row. */
export const ROW_TYPES = {
  trades: 'trade',
  liquidations: 'liquidation',
  book_ticker: 'book_ticker',
  derivative_ticker: 'derivative_ticker',
  options_chain: 'option_summary',
} as const;

const time = fc.integer({ min: -(10 ** 15), max: 4 * 10 ** 15 }).map(String);
const word = fc.oneof(
  fc.constantFrom(
    'buy',
    'sell',
    'put',
    'call',
    'SYN.BTC-9JUN20',
    'a\\b',
    '\t\u0001',
    'Ā한\u{1F600}\u2028',
    '\u007f',
  ),
  fc.nat().map(String),
);

/** Rows of such a file with arbitrary cells. */
export function messageRows(dataType: DataType): fc.Arbitrary<Row[]> {
  const columns = (dataTypeColumns(dataType) ?? []).slice(4);
  const cells = columns.map(({ kind }) =>
    fc.option(kind === 'number' ? numberText : kind === 'time' ? time : word),
  );
  const row = fc.tuple(fc.constantFrom('A-1', 'B/2', 'Ü'), ...cells).map(
    ([symbol, ...texts]): Row => ({
      exchange: 'deribit',
      symbol: String(symbol),
      ...Object.fromEntries(columns.map(({ name }, i) => [name, String(texts[i] ?? '')])),
    }),
  );
  return withTimes(fc.array(row, { maxLength: 12 }));
}

const unitNames = [...['0ms', '0s', '1ms', '100ms', '250ms', '1s', '7s', '1m', '60m']];

export const snapshotSpec = fc
  .tuple(
    fc.constantFrom(1, 2, 3, 5, 25),
    fc.option(fc.constantFrom('0.1', '0.3', '0.5', '1', '2.5', '10', '0.07'), { nil: undefined }),
    fc.constantFrom(...unitNames),
  )
  .map(([depth, group, unit]) => ({
    name: `book_snapshot_${depth}${group ? `_grouped${group}` : ''}_${unit}`,
    depth,
    interval: msOf(unit),
    grouping: group === undefined ? undefined : Number(group),
  }));

export const barSpec = fc.oneof(
  fc.constantFrom('1ms', '100ms', '1s', '30s', '1m', '7m', '60m').map((unit) => ({
    name: `trade_bar_${unit}`,
    interval: msOf(unit),
    kind: 'time' as const,
  })),
  fc
    .constantFrom(1, 2, 7)
    .map((interval) => ({ name: `trade_bar_${interval}ticks`, interval, kind: 'tick' as const })),
  fc.constantFrom(0.5, 1, 2.25, 10).map((interval) => ({
    name: `trade_bar_${interval}vol`,
    interval,
    kind: 'volume' as const,
  })),
);

function msOf(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000);
}
