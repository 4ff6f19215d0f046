import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromIPC } from '@uwdata/flechette';
import { type Duck, duckFor } from '../../format/parquet/readers.js';
import {
  BOOK_COLUMNS,
  type CatalogFile,
  exportDays,
  PRECISION_FLAGS,
  QUOTE_COLUMNS,
  snapshotColumns,
  TRADE_COLUMNS,
} from './catalog.js';

const levels = (name: string, type: string): string[] =>
  Array.from({ length: 10 }, (_, i) => `${name}_${i} ${type}`);
const TIMES = ['ts_event uint64', 'ts_init uint64'];

/** Columns and types of the files that NautilusTrader's own catalog writes. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  bar: [...['open', 'high', 'low', 'close', 'volume'].map((name) => `${name} fixed`), ...TIMES],
  order_book_deltas: [
    'action uint8',
    'side uint8',
    'price fixed',
    'size fixed',
    'order_id uint64',
    'flags uint8',
    'sequence uint64',
    ...TIMES,
  ],
  order_book_depths: [
    ...['bid_price', 'ask_price', 'bid_size', 'ask_size'].flatMap((name) => levels(name, 'fixed')),
    ...['bid_count', 'ask_count'].flatMap((name) => levels(name, 'uint32')),
    'flags uint8',
    'sequence uint64',
    ...TIMES,
  ],
  quote_tick: [
    ...['bid_price', 'ask_price', 'bid_size', 'ask_size'].map((name) => `${name} fixed`),
    ...TIMES,
  ],
  trade_tick: ['price fixed', 'size fixed', 'aggressor_side uint8', 'trade_id string', ...TIMES],
};

/** Physical type, logical type and converted type in Parquet. */
const PARQUET_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  uint8: ['INT32', null, 'UINT_8'],
  uint32: ['INT32', null, 'UINT_32'],
  uint64: ['INT64', null, 'UINT_64'],
  string: ['BYTE_ARRAY', null, 'UTF8'],
};

const DAYS = [
  {
    name: 'bitmex_trades_2024-03-01_XBTUSD',
    columns: TRADE_COLUMNS,
    rows: [['XBTUSD', 1, 2, 'a', 'buy', '1.5', '2']],
  },
  {
    name: 'bitmex_quotes_2024-03-01_XBTUSD',
    columns: QUOTE_COLUMNS,
    rows: [['XBTUSD', 1, 2, '1', '2', '3', '4']],
  },
  {
    name: 'bitmex_incremental_book_L2_2024-03-01_XBTUSD',
    columns: BOOK_COLUMNS,
    rows: [['XBTUSD', 1, 2, 'true', 'bid', '1', '2']],
  },
  {
    name: 'bitmex_book_snapshot_5_2024-03-01_XBTUSD',
    columns: snapshotColumns(5),
    rows: [['XBTUSD', 1, 2, ...Array<string>(20).fill('1')]],
  },
] as const;

for (const bits of [64, 128] as const) {
  test(`has the columns, types and metadata of a catalog with ${bits} bits, for DuckDB and Arrow`, async (t) => {
    const duck = await duckFor(t);
    const flags = [...PRECISION_FLAGS, '--as', 'rows,trade_bar_1m', '--precision', String(bits)];
    const { files } = await exportDays(t, DAYS, flags);
    const types = files.map(({ path }) => path.split('/')[1] ?? '');
    assert.deepEqual(types, Object.keys(EXPECTED));
    for (const [i, file] of files.entries()) {
      const type = types[i] ?? '';
      const expected = (EXPECTED[type] ?? []).map((column) => column.split(' ') as [string, string]);
      assert.deepEqual(await readParquetSchema(duck, file), [
        ...expected.map(([name, kind]) => {
          const [physical, length, converted] = PARQUET_TYPES[kind] ?? [
            'FIXED_LEN_BYTE_ARRAY',
            String(bits / 8),
            null,
          ];
          return [name, physical, length, 'REQUIRED', converted];
        }),
      ]);
      const identifier = type === 'bar' ? 'XBTUSD.BITMEX-1-MINUTE-LAST-EXTERNAL' : 'XBTUSD.BITMEX';
      const metadata = {
        [type === 'bar' ? 'bar_type' : 'instrument_id']: identifier,
        price_precision: '2',
        size_precision: '3',
      };
      const { 'ARROW:schema': encoded = '', ...pairs } = file.metadata;
      assert.deepEqual(pairs, metadata);
      assert.deepEqual(readArrowSchema(encoded), {
        fields: expected.map(([name, kind]) => [
          name,
          kind === 'fixed' ? `FixedSizeBinary(${bits / 8})` : kind,
          false,
        ]),
        metadata,
      });
    }
    const [trade] = await duck.rows(
      files.at(-1)?.bytes ?? new Uint8Array(),
      'SELECT hex(price), aggressor_side, trade_id, ts_init FROM $file',
    );
    const price = Buffer.alloc(bits / 8);
    price.writeBigUInt64LE(15n * 10n ** (bits === 128 ? 15n : 8n));
    assert.deepEqual(trade, [price.toString('hex').toUpperCase(), 1, 'a', 1_709_251_200_000_002_000]);
  });
}

async function readParquetSchema(duck: Duck, { bytes }: CatalogFile): Promise<unknown[][]> {
  const rows = await duck.rows(
    bytes,
    'SELECT name, type, type_length, repetition_type, converted_type FROM parquet_schema($file)',
  );
  return rows.slice(1);
}

/** Decodes `ARROW:schema`: an encapsulated message, to which the end of a stream is added. */
function readArrowSchema(encoded: string): { fields: unknown[][]; metadata: Record<string, string> } {
  const end = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
  const { schema } = tableFromIPC(Uint8Array.from([...Buffer.from(encoded, 'base64'), ...end]));
  return {
    fields: schema.fields.map(({ name, type, nullable }) => [name, formatArrowType(type), nullable]),
    metadata: Object.fromEntries(schema.metadata ?? []),
  };
}

function formatArrowType(type: object): string {
  const { typeId, bitWidth, signed, stride } = type as Record<string, number | boolean>;
  if (typeId === 2) return `${signed === true ? '' : 'u'}int${bitWidth}`;
  return typeId === 5 ? 'string' : `FixedSizeBinary(${stride})`;
}
