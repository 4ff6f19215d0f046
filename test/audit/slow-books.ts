import {
  bySymbol,
  type Counted,
  clocksOf,
  counted,
  placeOf,
  type SlowInput,
  stretchSums,
  type TextRow,
  time,
  US_PER_DAY,
} from './slow-rows.js';

export function startSnapshots(input: SlowInput): Counted {
  const found = [...bySymbol(input).values()].flatMap((indices) => {
    const first = indices.find((i) => input.rows[i]?.['is_snapshot'] !== '');
    return first !== undefined && input.rows[first]?.['is_snapshot'] === 'false' ? [first] : [];
  });
  return counted(input, found);
}

export function midSnapshots(input: SlowInput): Counted {
  const found = [...bySymbol(input).values()].flatMap((indices) => {
    const rows = indices.filter((i) => {
      const row = input.rows[i];
      return row?.['is_snapshot'] !== '' && row?.['local_timestamp'] !== '';
    });
    const keyOf = (i: number | undefined): string | undefined => {
      const row = i === undefined ? undefined : input.rows[i];
      return row?.['is_snapshot'] === 'true' ? row['local_timestamp'] : undefined;
    };
    const starts = rows.filter((i, n) => keyOf(i) !== undefined && keyOf(i) !== keyOf(rows[n - 1]));
    return starts.slice(1);
  });
  return counted(input, found);
}

export interface SlowState {
  readonly symbol: string;
  readonly clock: number;
  readonly last: number;
  readonly bid: number | undefined;
  readonly ask: number | undefined;
}

/** The states of a book, and the rows that delete an absent level. */
export function bookStates(input: SlowInput): { states: SlowState[]; absent: number[] } {
  const clocks = clocksOf(input);
  const changes: number[][] = [];
  let key = '';
  for (const [i, row] of input.rows.entries()) {
    if (row['symbol'] === '') continue;
    const rowKey = ['symbol', 'timestamp', 'local_timestamp', 'is_snapshot'].map((name) => row[name]).join();
    if (rowKey === key) changes.at(-1)?.push(i);
    else changes.push([i]);
    key = rowKey;
  }
  const books = new Map<string, { bid: Map<number, number>; ask: Map<number, number> }>();
  const states: SlowState[] = [];
  const absent: number[] = [];
  for (const change of changes) {
    const first = input.rows[change[0] as number] as TextRow;
    const symbol = first['symbol'] as string;
    const isSnapshot = first['is_snapshot'] === 'true';
    if (isSnapshot) books.set(symbol, { bid: new Map(), ask: new Map() });
    const book = books.get(symbol);
    if (!book) continue;
    for (const i of change) {
      const { side, price, amount } = input.rows[i] as TextRow;
      if (!side || !price || !amount) continue;
      const levels = book[side as 'bid' | 'ask'];
      if (Number(amount) !== 0) levels.set(Number(price), Number(amount));
      else if (!levels.delete(Number(price)) && !isSnapshot) absent.push(i);
    }
    const [bids, asks] = [[...book.bid.keys()], [...book.ask.keys()]];
    states.push({
      symbol,
      clock: clocks[change[0] as number] as number,
      last: change.at(-1) as number,
      bid: bids.length > 0 ? Math.max(...bids) : undefined,
      ask: asks.length > 0 ? Math.min(...asks) : undefined,
    });
  }
  return { states, absent };
}

export function rowStates(input: SlowInput): SlowState[] {
  const isSnapshot = input.dataType.startsWith('book_snapshot_');
  const [bid, ask] = isSnapshot ? ['bids[0].price', 'asks[0].price'] : ['bid_price', 'ask_price'];
  const clocks = clocksOf(input);
  return input.rows.flatMap((row, i) => {
    if (!row['symbol']) return [];
    const priceOf = (name: string | undefined): number | undefined => time(row[name ?? '']);
    return [
      { symbol: row['symbol'], clock: clocks[i] as number, last: i, bid: priceOf(bid), ask: priceOf(ask) },
    ];
  });
}

export function countStates(
  input: SlowInput,
  states: readonly SlowState[],
  isIn: (bid: number, ask: number) => boolean,
) {
  const matches = ({ bid, ask }: SlowState): boolean =>
    bid !== undefined && ask !== undefined && isIn(bid, ask);
  const periods: [number, number][] = [];
  for (const symbol of new Set(states.map((state) => state.symbol))) {
    const own = states.filter((state) => state.symbol === symbol);
    let open: number | undefined;
    for (const state of own) {
      if (matches(state)) open ??= state.clock;
      else if (open !== undefined) {
        periods.push([open, state.clock]);
        open = undefined;
      }
    }
    if (open !== undefined) periods.push([open, input.dayStart + US_PER_DAY]);
  }
  const found = states.filter(matches);
  const [first] = found;
  return {
    count: found.length,
    ...(first && { first: placeOf(input, first.last) }),
    ...stretchSums(periods),
  };
}

export function levelOrder(input: SlowInput): Counted {
  const depth = Number(input.dataType.split('_')[2]);
  const isOrdered = (prices: readonly (number | undefined)[], sign: number): boolean => {
    const present = prices.filter((price) => price !== undefined);
    if (prices.slice(0, present.length).includes(undefined)) return false;
    return present.every((price, i) => i === 0 || (price - (present[i - 1] as number)) * sign > 0);
  };
  const found = input.rows.flatMap((row, i) => {
    const pricesOf = (side: string) =>
      Array.from({ length: depth }, (_, n) => time(row[`${side}[${n}].price`]));
    return isOrdered(pricesOf('asks'), 1) && isOrdered(pricesOf('bids'), -1) ? [] : [i];
  });
  return counted(input, found);
}
