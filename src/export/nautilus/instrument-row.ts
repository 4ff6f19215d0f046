import type { Day } from '../../day-files/day.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import { padDecimals, toDecimalText } from '../decimal-text.js';
import { instrumentOn } from '../instrument-version.js';

/** Classes of instruments in a catalog. */
export type InstrumentClass = 'CurrencyPair' | 'CryptoPerpetual' | 'CryptoFuture' | 'CryptoOption';

/** A row of a file with an instrument: texts, flags, small integers, nanoseconds, bytes; null for an empty cell. */
export interface InstrumentRow {
  readonly class: InstrumentClass;
  readonly id: string;
  /** Values by column, in the order of docs/spec/nautilus-catalog.md#instruments. */
  readonly values: Readonly<Record<string, InstrumentValue>>;
  /** Start of its validity, in nanoseconds since the epoch. */
  readonly since: bigint;
}

export type InstrumentValue = string | boolean | number | bigint | Uint8Array | null;

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
