import { padDecimals, toDecimalText } from '../../base/units.js';
import type { Day } from '../../day-files/day.js';
import { type ArrowField, encodeSchemaMessage } from '../../format/arrow/arrow-message.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { loadCompressor } from '../../format/compressor.js';
import { ARROW_SCHEMA_KEY } from '../../format/parquet/arrow-hint.js';
import { Encoding, type ParquetColumn, PhysicalType } from '../../format/parquet/parquet-schema.js';
import { createParquetWriter, writeColumnChunk } from '../../format/parquet/parquet-writer.js';
import { type InstrumentInfo, instrumentOn } from '../../service/records/fetch-instruments.js';
import { CATALOG_COMPRESSION } from './catalog-file.js';
import { formatCatalogName, formatTime } from './catalog-instrument.js';

/** Classes of instruments in a catalog. */
type InstrumentClass = 'CurrencyPair' | 'CryptoPerpetual' | 'CryptoFuture' | 'CryptoOption';

/** A row of a file with an instrument: texts, flags, small integers, nanoseconds, bytes; null for an empty cell. */
export interface InstrumentRow {
  readonly class: InstrumentClass;
  readonly id: string;
  /** Values by column, in the order of docs/spec/nautilus-catalog.md#instruments. */
  readonly values: Readonly<Record<string, InstrumentValue>>;
  /** Start of its validity, in nanoseconds since the epoch. */
  readonly since: bigint;
}

type InstrumentValue = string | boolean | number | bigint | Uint8Array | null;

/** By the service's types; the vendor's adapter takes combos for futures. */
const CLASSES: Readonly<Record<string, InstrumentClass>> = {
  spot: 'CurrencyPair',
  perpetual: 'CryptoPerpetual',
  future: 'CryptoFuture',
  combo: 'CryptoFuture',
  option: 'CryptoOption',
};

/**
 * The row of an instrument, as it was on a day.
 * @param id `<SYMBOL>.<VENUE>`, as of the data.
 * @param precision decimals of prices and sizes in the data.
 * @returns a text that says why there is none.
 */
export function createInstrumentRow(
  info: InstrumentInfo,
  day: Day,
  id: string,
  precision: { readonly price: number; readonly size: number },
): InstrumentRow | string {
  const kind = Object.hasOwn(CLASSES, info.type) ? CLASSES[info.type] : undefined;
  if (kind === undefined) return `NautilusTrader has no instrument of type ${info.type}`;
  const version = instrumentOn(info, day);
  const base = info.baseCurrency.toUpperCase();
  const quote = info.quoteCurrency.toUpperCase();
  if (base === '' || quote === '') return 'its currencies are unknown';
  const expiry = toNanoseconds(info['expiry']);
  const isDated = kind === 'CryptoFuture' || kind === 'CryptoOption';
  // An instrument that expires at 0 ends a backtest at its first event.
  if (isDated && expiry === undefined) return 'it has no expiry';
  const { optionType, strikePrice, settlementCurrency } = info;
  const strikeText = toDecimalText(strikePrice);
  const strike = strikeText === undefined ? undefined : padDecimals(strikeText, precision.price);
  const optionKind = optionType === 'call' ? 'Call' : optionType === 'put' ? 'Put' : undefined;
  if (kind === 'CryptoOption' && (optionKind === undefined || strike === undefined))
    return 'its kind or strike price is unknown';
  const price = padIncrement(version.priceIncrement, precision.price);
  const size = padIncrement(version.amountIncrement, precision.size);
  if (price === undefined)
    return `its price increment ${version.priceIncrement} has more than ${precision.price} decimals`;
  if (size === undefined)
    return `its amount increment ${version.amountIncrement} has more than ${precision.size} decimals`;
  const isInverse = info['inverse'] === true;
  const settlement =
    typeof settlementCurrency === 'string' ? settlementCurrency.toUpperCase() : isInverse ? base : quote;
  const since = toNanoseconds(version.since);
  if (since === undefined) return `its availableSince ${info.availableSince} is not a time from 1970 on`;
  const minimum = version.minTradeAmount;
  const values: Record<string, InstrumentValue> = {
    id,
    raw_symbol: info.id.toUpperCase(),
    ...(isDated ? { underlying: base } : { base_currency: base }),
    quote_currency: quote,
    ...(kind !== 'CurrencyPair' && { settlement_currency: settlement, is_inverse: isInverse }),
    ...(kind === 'CryptoOption' && { option_kind: optionKind ?? null, strike_price: strike ?? null }),
    ...(isDated && {
      activation_ns: toNanoseconds(info.availableSince) ?? 0n,
      expiration_ns: expiry ?? 0n,
    }),
    price_precision: precision.price,
    size_precision: precision.size,
    price_increment: price,
    size_increment: size,
    multiplier: Number(version.contractMultiplier) > 0 ? String(version.contractMultiplier) : '1',
    lot_size: size,
    max_quantity: null,
    min_quantity: minimum === undefined || Number(minimum) === 0 ? null : minimum,
    max_notional: null,
    min_notional: null,
    max_price: null,
    min_price: null,
    margin_init: '0',
    margin_maint: '0',
    maker_fee: version.makerFee ?? '0',
    taker_fee: version.takerFee ?? '0',
    info: Buffer.from(JSON.stringify(info)),
    ts_event: since,
    ts_init: since,
  };
  return { class: kind, id, values, since };
}

const NS_PER_MS = 1_000_000n;
/** NautilusTrader has no time after it. */
const MAX_NANOSECONDS = 2n ** 64n - 1n;

/** @param time a date, or milliseconds since the epoch. @returns undefined if a column cannot have it. */
function toNanoseconds(time: unknown): bigint | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number(time ?? Number.NaN);
  const nanoseconds = Number.isNaN(ms) ? -1n : BigInt(ms) * NS_PER_MS;
  return nanoseconds < 0n || nanoseconds > MAX_NANOSECONDS ? undefined : nanoseconds;
}

/** An increment with as many decimals as the data; the smallest of these if it is 0 or unknown. */
function padIncrement(increment: string | undefined, decimals: number): string | undefined {
  if (increment !== undefined && Number(increment) > 0) return padDecimals(increment, decimals);
  return decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
}

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
