/** A message as a plain object, with its keys in the order of the line. */
export type Plain = Record<string, unknown>;

export interface Level {
  readonly price: number;
  readonly amount: number;
}

/** A book change or a trade as input of computed types; times are microseconds. */
export interface Change {
  readonly exchange: string;
  readonly symbol: string;
  readonly isSnapshot: boolean;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly timestamp: number;
  readonly localTimestamp: number;
}

export interface Trade {
  readonly exchange: string;
  readonly symbol: string;
  readonly price: number;
  readonly amount: number;
  readonly side: string;
  readonly timestamp: number;
  readonly localTimestamp: number;
}

export type Row = Readonly<Record<string, string>>;

/** Formats the exchange time: six decimals if it is not whole milliseconds, or is the local time. */
export function exchangeTime({
  timestamp,
  localTimestamp,
}: {
  timestamp: number;
  localTimestamp: number;
}): string {
  return timestamp === localTimestamp || timestamp % 1000 !== 0
    ? sixDecimals(timestamp)
    : threeDecimals(timestamp);
}

export function threeDecimals(time: number): string {
  return new Date(Math.floor(time / 1000)).toISOString();
}

export function sixDecimals(time: number): string {
  const ms = Math.floor(time / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(time - ms * 1000).padStart(3, '0')}Z`;
}

const timesOf = (row: Row): { timestamp: number; localTimestamp: number } => ({
  timestamp: Number(row['timestamp']),
  localTimestamp: Number(row['local_timestamp']),
});

const number = (text = ''): number | undefined => (text === '' ? undefined : Number(text));
const word = (text = ''): string | undefined => (text === '' ? undefined : text);
const date = (text = ''): string | undefined => (text === '' ? undefined : threeDecimals(Number(text)));

/** The messages of a day file with one message per row. */
export function rowMessage(type: string, row: Row): Plain {
  const times = timesOf(row);
  return {
    type,
    symbol: row['symbol'],
    exchange: row['exchange'],
    ...ownKeys(type, row),
    timestamp: exchangeTime(times),
    localTimestamp: sixDecimals(times.localTimestamp),
  };
}

function ownKeys(type: string, row: Row): Plain {
  switch (type) {
    case 'trade':
    case 'liquidation':
      return {
        id: word(row['id']),
        price: number(row['price']),
        amount: number(row['amount']),
        side: word(row['side']) ?? 'unknown',
      };
    case 'book_ticker':
      return {
        askAmount: number(row['ask_amount']),
        askPrice: number(row['ask_price']),
        bidPrice: number(row['bid_price']),
        bidAmount: number(row['bid_amount']),
      };
    case 'derivative_ticker':
      return {
        lastPrice: number(row['last_price']),
        openInterest: number(row['open_interest']),
        fundingRate: number(row['funding_rate']),
        fundingTimestamp: date(row['funding_timestamp']),
        predictedFundingRate: number(row['predicted_funding_rate']),
        indexPrice: number(row['index_price']),
        markPrice: number(row['mark_price']),
      };
    default:
      return {
        optionType: word(row['type']),
        strikePrice: number(row['strike_price']),
        expirationDate: date(row['expiration']),
        bestBidPrice: number(row['bid_price']),
        bestBidAmount: number(row['bid_amount']),
        bestBidIV: number(row['bid_iv']),
        bestAskPrice: number(row['ask_price']),
        bestAskAmount: number(row['ask_amount']),
        bestAskIV: number(row['ask_iv']),
        lastPrice: number(row['last_price']),
        openInterest: number(row['open_interest']),
        markPrice: number(row['mark_price']),
        markIV: number(row['mark_iv']),
        delta: number(row['delta']),
        gamma: number(row['gamma']),
        vega: number(row['vega']),
        theta: number(row['theta']),
        rho: number(row['rho']),
        underlyingPrice: number(row['underlying_price']),
        underlyingIndex: word(row['underlying_index']),
      };
  }
}

export function tradeOf(row: Row): Trade {
  return {
    exchange: row['exchange'] ?? '',
    symbol: row['symbol'] ?? '',
    price: Number(row['price']),
    amount: Number(row['amount']),
    side: row['side'] ?? '',
    ...timesOf(row),
  };
}

/** Consecutive rows of incremental_book_L2 with equal keys are one change. */
export function changesOf(rows: readonly Row[]): Change[] {
  const changes: (Change & { key: string; bids: Level[]; asks: Level[] })[] = [];
  for (const row of rows) {
    const key = ['exchange', 'symbol', 'timestamp', 'local_timestamp', 'is_snapshot']
      .map((c) => row[c])
      .join();
    if (changes.at(-1)?.key !== key) {
      const { exchange = '', symbol = '' } = row;
      const isSnapshot = row['is_snapshot'] === 'true';
      changes.push({ key, exchange, symbol, isSnapshot, bids: [], asks: [], ...timesOf(row) });
    }
    const level = { price: Number(row['price']), amount: Number(row['amount']) };
    changes.at(-1)?.[row['side'] === 'ask' ? 'asks' : 'bids'].push(level);
  }
  return changes;
}

export function changeMessage(change: Change): Plain {
  const { symbol, exchange, isSnapshot, bids, asks, localTimestamp } = change;
  const times = { timestamp: exchangeTime(change), localTimestamp: sixDecimals(localTimestamp) };
  return { type: 'book_change', symbol, exchange, isSnapshot, bids, asks, ...times };
}
