import { type ArrowField, encodeSchemaMessage } from '../../format/arrow/arrow-message.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { loadCompressor } from '../../format/compressor.js';
import { ARROW_SCHEMA_KEY } from '../../format/parquet/arrow-hint.js';
import { Encoding, type ParquetColumn, PhysicalType } from '../../format/parquet/parquet-schema.js';
import { createParquetWriter, writeColumnChunk } from '../../format/parquet/parquet-writer.js';
import { CATALOG_COMPRESSION } from './catalog-file.js';
import { formatCatalogName, formatTime } from './catalog-instrument.js';
import type { InstrumentClass, InstrumentRow, InstrumentValue } from './instrument-row.js';

type CatalogKind = 'python' | 'rust';

const PYTHON_FOLDERS: Readonly<Record<InstrumentClass, string>> = {
  CurrencyPair: 'currency_pair',
  CryptoPerpetual: 'crypto_perpetual',
  CryptoFuture: 'crypto_future',
  CryptoOption: 'crypto_option',
};

/** Path of an instrument's file in a catalog (docs/spec/nautilus-catalog.md#instruments). */
export function formatInstrumentPath(catalog: CatalogKind, { id, since, ...row }: InstrumentRow): string {
  const folder = catalog === 'rust' ? 'instruments' : PYTHON_FOLDERS[row.class];
  const time = formatTime(since);
  return `data/${folder}/${formatCatalogName(catalog, id)}/${time}_${time}.parquet`;
}

/** Text columns that Python's schema has in a dictionary, by the bits of its positions. */
const DICTIONARY_BITS: Readonly<Record<string, 8 | 16 | 64>> = {
  id: 64,
  option_kind: 8,
  ...Object.fromEntries(
    [
      ...['base_currency', 'underlying', 'quote_currency', 'settlement_currency'],
      ...['price_increment', 'size_increment', 'multiplier', 'lot_size', 'max_quantity', 'min_quantity'],
      ...['max_notional', 'min_notional', 'max_price', 'min_price'],
    ].map((name) => [name, 16] as const),
  ),
};

const TYPES: Readonly<Record<string, 'bool' | 'uint8' | 'uint64' | 'binary'>> = {
  is_inverse: 'bool',
  price_precision: 'uint8',
  size_precision: 'uint8',
  activation_ns: 'uint64',
  expiration_ns: 'uint64',
  ts_event: 'uint64',
  ts_init: 'uint64',
  info: 'binary',
};

/** A Parquet file with one instrument. */
export async function encodeInstrument(row: InstrumentRow, catalog: CatalogKind): Promise<Uint8Array> {
  const file = new ByteWriter();
  const sink = { write: async (bytes: Uint8Array) => file.append(bytes) };
  const names = Object.keys(row.values);
  const compress = await loadCompressor(CATALOG_COMPRESSION);
  const writer = createParquetWriter(sink, names.map(toParquetColumn), CATALOG_COMPRESSION);
  const out = new ByteWriter();
  const columns = Object.values(row.values).map((value) => {
    const body = encodePage(value);
    const statistics = { nullCount: value === null ? 1 : 0, bounds: undefined };
    const page = (): Uint8Array => body;
    const values = {
      encoding: Encoding.plain,
      dictionary: undefined,
      valueSize: body.length,
      statistics,
      page,
    };
    return writeColumnChunk(out, values, 1, compress);
  });
  await writer.writeRowGroup({ rows: 1, bytes: out.written(), columns });
  const metadata = { class: row.class };
  const fields = names.map((name, i) => toArrowField(name, i, catalog));
  const schema = Buffer.from(encodeSchemaMessage({ fields, metadata })).toString('base64');
  await writer.finish({ ...metadata, [ARROW_SCHEMA_KEY]: schema });
  return file.written();
}

function toParquetColumn(name: string): ParquetColumn {
  const base = { name, required: false };
  switch (TYPES[name]) {
    case 'bool':
      return { ...base, type: PhysicalType.boolean, logicalType: undefined };
    case 'uint8':
      return { ...base, type: PhysicalType.int32, logicalType: 'uint8' };
    case 'uint64':
      return { ...base, type: PhysicalType.int64, logicalType: 'uint64' };
    case 'binary':
      return { ...base, type: PhysicalType.byteArray, logicalType: undefined };
    default:
      return { ...base, type: PhysicalType.byteArray, logicalType: 'string' };
  }
}

function toArrowField(name: string, index: number, catalog: CatalogKind): ArrowField {
  const base = { name, nullable: true };
  switch (TYPES[name]) {
    case 'bool':
    case 'binary':
      return { ...base, type: { name: TYPES[name] } };
    case 'uint8':
      return { ...base, type: { name: 'int', bits: 8, isSigned: false } };
    case 'uint64':
      return { ...base, type: { name: 'int', bits: 64, isSigned: false } };
    default: {
      const dictionaryBits = catalog === 'python' ? DICTIONARY_BITS[name] : undefined;
      const dictionary = dictionaryBits && { dictionaryId: index, dictionaryBits };
      return { ...base, type: { name: 'utf8' }, ...dictionary };
    }
  }
}

/** A page of one value: its definition level as a run of one, then the value as PLAIN. */
function encodePage(value: InstrumentValue): Uint8Array {
  const out = new ByteWriter(64);
  out.uint32(2);
  out.append(Uint8Array.of(1 << 1, value === null ? 0 : 1));
  if (value === null) return out.written();
  if (typeof value === 'bigint') out.append(new Uint8Array(BigUint64Array.of(value).buffer));
  else if (typeof value === 'number') out.uint32(value);
  else if (typeof value === 'boolean') out.append(Uint8Array.of(value ? 1 : 0));
  else {
    const bytes = Buffer.from(value as string | Uint8Array);
    out.uint32(bytes.length);
    out.append(bytes);
  }
  return out.written();
}
