import { type CatalogRow, DAY_START, type TestDay } from './catalog.js';

/** Decimals of an instrument, and bits of a fixed-point number. */
export interface SlowPrecision {
  readonly price: number;
  readonly size: number;
  readonly bits: 64 | 128;
}

const FNV_PRIME = 0x100000001b3n;

/** The rows of a catalog's files by symbol, as simply as the specification allows; rows without a size are left out. */
export function makeSlowCatalog(
  { name, columns, rows }: TestDay,
  precision: SlowPrecision,
): Map<string, CatalogRow[]> {
  const dataType = name.replace(/^[^_]+_(.*)_\d{4}-.*$/, '$1');
  const sorted = rows.toSorted((a, b) => a[2] - b[2]);
  const symbols = [...new Set(rows.map(([symbol]) => symbol))];
  return new Map(
    symbols.map((symbol) => {
      const own = sorted.filter((row) => row[0] === symbol);
      const cells = own.map(([, time, local, ...values]) => {
        // An assignment for each column is faster than Object.fromEntries, which matters for large days.
        const row: Record<string, string | bigint> = { symbol };
        for (const [i, column] of columns.entries()) row[column] = values[i] ?? '';
        return { ...row, ts_event: toNanoseconds(time), ts_init: toNanoseconds(local) };
      });
      return [symbol, toRows(dataType, cells as unknown as SlowCells[], precision)] as const;
    }),
  );
}

type SlowCells = Readonly<Record<string, string>> & { readonly ts_event: bigint; readonly ts_init: bigint };

function toRows(dataType: string, cells: readonly SlowCells[], precision: SlowPrecision): CatalogRow[] {
  const price = (text: string | undefined): bigint => toFixed(text ?? '', precision.price, precision.bits);
  const size = (text: string | undefined): bigint => toFixed(text ?? '', precision.size, precision.bits);
  const times = ({ ts_event, ts_init }: SlowCells): { ts_event: bigint; ts_init: bigint } => ({
    ts_event,
    ts_init,
  });
  if (dataType === 'trades') {
    const made = cells.map((row) => ({
      price: price(row['price']),
      size: size(row['amount']),
      aggressor_side: row['side'] === 'buy' ? 1 : row['side'] === 'sell' ? 2 : 0,
      trade_id: usableId(row['id'] ?? '') ?? deriveId(row),
      ...times(row),
    }));
    return made.filter((row) => row.size > 0n);
  }
  if (dataType === 'quotes' || dataType === 'book_ticker') {
    return cells.map((row) => ({
      bid_price: price(row['bid_price']),
      ask_price: price(row['ask_price']),
      bid_size: size(row['bid_amount']),
      ask_size: size(row['ask_amount']),
      ...times(row),
    }));
  }
  if (dataType === 'incremental_book_L2')
    return cells.flatMap((row, i) => toDeltas(row, cells[i - 1], cells[i + 1], price, size));
  return cells.map((row) => {
    const level = (side: string, i: number): { price: bigint; size: bigint; count: number } => {
      const text = row[`${side}[${i}].price`] ?? '';
      if (text === '') return { price: 0n, size: 0n, count: 0 };
      return { price: price(text), size: size(row[`${side}[${i}].amount`]), count: 1 };
    };
    const columns = (['price', 'size', 'count'] as const).flatMap((field) =>
      ['bid', 'ask'].flatMap((side) =>
        Array.from({ length: 10 }, (_, i) => [`${side}_${field}_${i}`, level(`${side}s`, i)[field]] as const),
      ),
    );
    return { ...Object.fromEntries(columns), flags: 160, sequence: 0n, ...times(row) };
  });
}

function toDeltas(
  row: SlowCells,
  before: SlowCells | undefined,
  after: SlowCells | undefined,
  price: (text: string | undefined) => bigint,
  size: (text: string | undefined) => bigint,
): CatalogRow[] {
  const times = { ts_event: row.ts_event, ts_init: row.ts_init };
  const fixed = { order_id: 0n, sequence: 0n, ...times };
  const isSnapshot = row['is_snapshot'] === 'true';
  const begins = isSnapshot && !(before?.['is_snapshot'] === 'true' && before.ts_event === row.ts_event);
  const clear = { action: 4, side: 0, price: 0n, size: 0n, flags: 32, ...fixed };
  const amount = size(row['amount']);
  const delta = {
    action: amount === 0n ? 3 : isSnapshot ? 1 : 2,
    side: row['side'] === 'bid' ? 1 : 2,
    price: price(row['price']),
    size: amount,
    flags: after?.ts_event === row.ts_event ? 0 : 128,
    ...fixed,
  };
  return begins ? [clear, delta] : [delta];
}

function toNanoseconds(time: number): bigint {
  return BigInt(DAY_START + time) * 1000n;
}

/** Rounds half away from zero on the text, digit by digit. */
function toFixed(text: string, decimals: number, bits: 64 | 128): bigint {
  if (text === '') return 0n;
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const zeros = '0'.repeat(Math.abs(Number(exponent)) + decimals + 1);
  const digits = zeros + whole + fraction + zeros;
  const point = zeros.length + whole.length + Number(exponent);
  const kept = BigInt(digits.slice(0, point + decimals));
  const rounded = kept + (Number(digits[point + decimals]) >= 5 ? 1n : 0n);
  const raw = rounded * 10n ** BigInt((bits === 128 ? 16 : 9) - decimals);
  return sign === '-' ? -raw : raw;
}

function usableId(id: string): string | undefined {
  return /^[\0-\x7f]{1,36}$/.test(id) ? id : undefined;
}

function deriveId(row: SlowCells): string {
  const number = (text: string | undefined): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(Number(text));
    return bytes;
  };
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(row.ts_event);
  const separator = Buffer.of(0x1f);
  const parts = [
    Buffer.from((row['symbol'] ?? '').toUpperCase()),
    time,
    number(row['price']),
    number(row['amount']),
    Buffer.from(row['side'] ?? ''),
  ];
  const bytes = Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part])));
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16).padStart(16, '0');
}
