import type { PriceLevel } from '../../market/messages.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { eventTimeFromNanos, parseOptionalNumber, toFields } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { LastTickers } from './last-ticker.js';

/**
 * Phemex (Phemex API, WebSocket). Spot markets and contracts in coins have scaled integers, in the channels
 * `trades`, `book` and `market24h`; contracts in USDT and USDC have text, in channels of their own. Times are
 * nanoseconds. Records have symbols in upper case.
 */
export function phemexTrades(): Normalizer {
  return {
    kind: 'phemex-trades',
    filters: (symbols) => toPhemexFilters('trades', 'trades_p', symbols),
    handles: (message) => hasKey(message, ['trades', 'trades_p']),
    read(message, localTimestamp, emit) {
      const { type, symbol, trades, trades_p } = toFields(message);
      const list = trades ?? trades_p;
      // The snapshot has trades from before the connection.
      if (type !== 'incremental' || list === undefined || hasSpotNameOfPerpetual(String(symbol))) return;
      const scale = trades === undefined ? NO_SCALE : scaleOf(String(symbol));
      for (const [time, side, price, amount] of list as readonly (readonly unknown[])[]) {
        emit({
          type: 'trade',
          symbol: String(symbol).toUpperCase(),
          price: Number(price) / scale.price,
          amount: Number(amount) / scale.amount,
          side: side === 'Buy' ? 'buy' : 'sell',
          ...eventTimeFromNanos(time, localTimestamp),
        });
      }
    },
  };
}

export function phemexBooks(): Normalizer {
  return {
    kind: 'phemex-books',
    filters: (symbols) => toPhemexFilters('book', 'orderbook_p', symbols),
    handles: (message) => hasKey(message, ['book', 'orderbook_p']),
    read(message, localTimestamp, emit) {
      const { type, symbol, timestamp, book, orderbook_p } = toFields(message);
      const levels = book ?? orderbook_p;
      if (levels === undefined || hasSpotNameOfPerpetual(String(symbol))) return;
      const scale = book === undefined ? NO_SCALE : scaleOf(String(symbol));
      const { bids, asks } = toFields(levels);
      emit({
        type: 'book_change',
        symbol: String(symbol).toUpperCase(),
        isSnapshot: type === 'snapshot',
        bids: parseScaledLevels(bids, scale),
        asks: parseScaledLevels(asks, scale),
        ...eventTimeFromNanos(timestamp, localTimestamp),
      });
    },
  };
}

const FUNDING_SCALE = 1e8;
const CONTRACT_PRICE_SCALE = 1e4;

export function phemexDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  return {
    kind: 'phemex-derivative-tickers',
    filters: (symbols) => toPhemexFilters('market24h', 'perp_market24h_pack_p', symbols),
    handles: (message) =>
      hasKey(message, ['market24h']) || toFields(message)['method'] === 'perp_market24h_pack_p.update',
    read(message, localTimestamp, emit) {
      const { market24h, method, data, timestamp } = toFields(message);
      const isPack = method === 'perp_market24h_pack_p.update';
      if (market24h === undefined && !isPack) return;
      const items =
        market24h === undefined ? (data as readonly (readonly unknown[])[]) : [toTickerRow(market24h)];
      const time = eventTimeFromNanos(timestamp, localTimestamp);
      for (const row of items) {
        const [symbol, , , , last, , , openInterest, index, mark, funding, predicted] = row;
        const record = tickers.get(String(symbol)).update(
          {
            lastPrice: parseOptionalNumber(last),
            openInterest: parseOptionalNumber(openInterest),
            fundingRate: parseOptionalNumber(funding),
            predictedFundingRate: parseOptionalNumber(predicted),
            indexPrice: parseOptionalNumber(index),
            markPrice: parseOptionalNumber(mark),
          },
          time,
        );
        if (record) emit(record);
      }
    },
  };
}

function hasKey(message: unknown, keys: readonly string[]): boolean {
  const fields = toFields(message);
  return keys.some((key) => fields[key] !== undefined);
}

/** The values of a contract in coins, in the order of the packed rows of other contracts. */
function toTickerRow(market24h: unknown): readonly unknown[] {
  const { symbol, close, openInterest, indexPrice, markPrice, fundingRate, predFundingRate } =
    toFields(market24h);
  const price = (value: unknown): unknown => divide(value, CONTRACT_PRICE_SCALE);
  const rate = (value: unknown): unknown => divide(value, FUNDING_SCALE);
  const row: unknown[] = [symbol];
  row[4] = price(close);
  row[7] = openInterest;
  row[8] = price(indexPrice);
  row[9] = price(markPrice);
  row[10] = rate(fundingRate);
  row[11] = rate(predFundingRate);
  return row;
}

function divide(value: unknown, scale: number): number | undefined {
  const number = parseOptionalNumber(value);
  return number === undefined ? undefined : number / scale;
}

interface Scale {
  readonly price: number;
  readonly amount: number;
}

const NO_SCALE: Scale = { price: 1, amount: 1 };
const SPOT_SCALE: Scale = { price: 1e8, amount: 1e8 };
const CONTRACT_SCALE: Scale = { price: CONTRACT_PRICE_SCALE, amount: 1 };

/** Names of spot markets begin with a small s. */
function scaleOf(symbol: string): Scale {
  return symbol.startsWith('s') ? SPOT_SCALE : CONTRACT_SCALE;
}

function parseScaledLevels(side: unknown, scale: Scale): readonly PriceLevel[] {
  if (!Array.isArray(side)) return [];
  return side.map((level: readonly unknown[]) => ({
    price: Number(level[0]) / scale.price,
    amount: Number(level[1]) / scale.amount,
  }));
}

/** @param scaled channel with scaled integers. @param linear channel of contracts in USDT and USDC. */
function toPhemexFilters(
  scaled: string,
  linear: string,
  symbols: readonly string[] | undefined,
): readonly FeedFilter[] {
  if (symbols === undefined) return [{ channel: scaled }, { channel: linear }];
  const ids = symbols.map(toPhemexSymbol);
  return [
    { channel: linear, symbols: ids.filter(isLinearPerpetual) },
    { channel: scaled, symbols: ids.filter((id) => !isLinearPerpetual(id)) },
  ].filter((filter) => filter.symbols.length > 0);
}

// Names of coins and markets: cspell:ignoreRegExp /\b[Ssuc]?[A-Z0-9]{3,}\b/g

/**
 * Perpetuals of Phemex whose name begins with S, by coin (Phemex API, Products). Spot markets have a small s
 * before the name of the pair: `sOLUSDT` is OL/USDT, `SOLUSDT` the perpetual of SOL. In upper case, as day files
 * and records have them, both can be equal, so only this list tells `SPKUSDT` (a perpetual) from `SBTCUSDT`
 * (`sBTCUSDT`, a spot market).
 */
const PERPETUAL_COINS: ReadonlySet<string> = new Set(
  (
    'S SAFE SAGA SAHARA SAMSUNG SAND SANTOS SAPIEN SAROS SCA SCR SCRT SEI SENT SERAPH SFP SHELL SIGN SIREN SKATE ' +
    'SKHY SKHYNIX SKL SKR SKY SKYAI SLERF SLP SLPU SLX SMCI SNDK SNT SNX SOL SOLAMI SOLV SOMI SONIC SONY SOON ' +
    'SOPH SOXL SP500 SPACE SPACEX SPCX SPELL SPK SPORTFUN SPX SPX500 SPYX SQD SQQQ SRM SSV STABLE STAR STBL ' +
    'STEEM STG STICKMAN STMX STO STORJ STPT STR STRAX STRC STRK STX STXX SUI SUN SUNDOG SUPER SUSHI SWARMS SWELL ' +
    'SXP SXT SYN SYRUP SYS'
  ).split(' '),
);

/** Perpetuals named in USD that had the channels of contracts in USDT, in 2025. */
const PILOT_PERPETUALS: ReadonlySet<string> = new Set(
  (
    'ANGLERFISH BNBCARD BNBXBT BUTTCOIN CRYPTOAI CTD DOGEAI FULLSEND GHIBLI GREED3 IMG MCPOS PAIN PERRY SIREN ' +
    'TITCOIN TOLY WILDNOUT'
  )
    .split(' ')
    .map((coin) => `${coin}PUSD`),
);

/** `BTCUSD`, `SOLUSDT`, `SOLUSDC`. */
const PAIR = /^(.+)USD[TC]?$/;

/** The exchange's name of a symbol that may be in upper case; mixed-case names are the exchange's. */
function toPhemexSymbol(symbol: string): string {
  if (PILOT_PERPETUALS.has(symbol)) return symbol;
  if (/^U100/.test(symbol) || symbol === 'CETHUSD') return lowerFirst(symbol);
  return symbol.startsWith('S') && !isFuture(symbol) && !isPerpetualOfS(symbol) ? lowerFirst(symbol) : symbol;
}

/** Whether contracts of the name have the channels with decimals. @param symbol the exchange's name. */
function isLinearPerpetual(symbol: string): boolean {
  const isSpot = symbol.startsWith('s');
  return PILOT_PERPETUALS.has(symbol) || (!isSpot && !isFuture(symbol) && /USD[TC]$/.test(symbol));
}

/** Whether the spot market's name in upper case is that of a perpetual: its messages would be confused. */
function hasSpotNameOfPerpetual(symbol: string): boolean {
  return symbol.startsWith('s') && isPerpetualOfS(symbol.toUpperCase());
}

function isPerpetualOfS(symbol: string): boolean {
  return PERPETUAL_COINS.has(PAIR.exec(symbol)?.[1] ?? '');
}

/** `BTCUSDH25` has a month and a year. */
function isFuture(symbol: string): boolean {
  return /\d$/.test(symbol);
}

function lowerFirst(symbol: string): string {
  return symbol.charAt(0).toLowerCase() + symbol.slice(1);
}
