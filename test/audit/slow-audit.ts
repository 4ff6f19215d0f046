import type { CheckThresholds } from '../../src/audit/audit-record.js';

/** One row of CSV text by column; an empty text is an empty cell. */
export type TextRow = Readonly<Record<string, string>>;

interface Counted {
  count: number | null;
  first?: { row: number; localTimestamp: number | null; symbol: string | null };
  maxMicroseconds?: number;
  seconds?: number;
  longest?: { start: number; seconds: number } | null;
}

export interface SlowInput extends CheckThresholds {
  readonly dataType: string;
  /** Start of the day in microseconds. */
  readonly dayStart: number;
  readonly columns: readonly string[];
  readonly rows: readonly TextRow[];
  /** Start and end of the listed period, in microseconds. */
  readonly since?: number;
  readonly to?: number;
  readonly combos?: readonly string[];
}

const US_PER_DAY = 86_400_000_000;
const isBook = (type: string): boolean => type === 'incremental_book_L2';
const isTrade = (type: string): boolean => type === 'trades' || type === 'liquidations';
const hasTops = (type: string): boolean =>
  /^(incremental_book_L2|quotes|book_ticker|book_snapshot_\d+)$/.test(type);

function placeOf(input: SlowInput, index: number): NonNullable<Counted['first']> {
  const row = input.rows[index] as TextRow;
  return {
    row: index + 1,
    localTimestamp: row['local_timestamp'] === '' ? null : Number(row['local_timestamp']),
    symbol: row['symbol'] || null,
  };
}

/** The result of rows that are counted, one index per count. */
function counted(input: SlowInput, indices: readonly number[]): Counted {
  if (indices.length === 0) return { count: 0 };
  return { count: indices.length, first: placeOf(input, Math.min(...indices)) };
}

function time(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}

/** Groups the indices of rows with a symbol. */
function bySymbol({ rows }: SlowInput): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) {
    const symbol = row['symbol'];
    if (symbol) groups.set(symbol, [...(groups.get(symbol) ?? []), i]);
  }
  return groups;
}

function clocksOf({ rows, dayStart }: SlowInput): number[] {
  return rows.map((_, i) => {
    const times = rows.slice(0, i + 1).map((row) => time(row['local_timestamp']) ?? -1);
    return Math.max(dayStart, ...times.filter((at) => at >= dayStart && at < dayStart + US_PER_DAY));
  });
}

function stretchSums(periods: readonly (readonly [number, number])[]): Pick<Counted, 'seconds' | 'longest'> {
  const sorted = [...periods].sort((a, b) => b[1] - b[0] - (a[1] - a[0]) || a[0] - b[0]);
  const [longest] = sorted;
  return {
    seconds: periods.reduce((sum, [start, end]) => sum + end - start, 0) / 1e6,
    longest: longest ? { start: longest[0], seconds: (longest[1] - longest[0]) / 1e6 } : null,
  };
}

function gaps(input: SlowInput): Counted {
  const { rows, dayStart, gapMs } = input;
  const within = (at: number | undefined): number | undefined =>
    at !== undefined && at >= dayStart && at < dayStart + US_PER_DAY ? at : undefined;
  const since = within(input.since) ?? dayStart;
  const to = within(input.to) ?? dayStart + US_PER_DAY;
  if (rows.length === 0) return { count: 0, seconds: 0, longest: null };
  const clocks = clocksOf(input);
  const points = [dayStart, ...clocks, dayStart + US_PER_DAY];
  const found = points.slice(1).flatMap((end, i) => {
    const period = [Math.max(points[i] as number, since), Math.min(end, to)] as const;
    const length = period[1] - period[0];
    const isGap = length > gapMs * 1000 && length > (100 * US_PER_DAY) / rows.length;
    return isGap ? [{ period, row: Math.min(i, rows.length - 1) }] : [];
  });
  const [first] = found;
  return {
    count: found.length,
    ...(first && { first: placeOf(input, first.row) }),
    ...stretchSums(found.map(({ period }) => period)),
  };
}

function exchangeOrder(input: SlowInput): Counted {
  const found: number[] = [];
  let maxMicroseconds = 0;
  for (const indices of bySymbol(input).values()) {
    const seen: number[] = [];
    for (const i of indices) {
      const at = time(input.rows[i]?.['timestamp']);
      if (at === undefined) continue;
      const greatest = Math.max(...seen);
      if (at < greatest) {
        found.push(i);
        maxMicroseconds = Math.max(maxMicroseconds, greatest - at);
      }
      seen.push(at);
    }
  }
  return { ...counted(input, found), maxMicroseconds };
}

function futureTimestamps(input: SlowInput): Counted {
  const differences = input.rows.map((row) => {
    const [at, local] = [time(row['timestamp']), time(row['local_timestamp'])];
    return at === undefined || local === undefined ? 0 : at - local;
  });
  const found = differences.flatMap((difference, i) => (difference > 0 ? [i] : []));
  return { ...counted(input, found), maxMicroseconds: Math.max(0, ...differences) };
}

function localOrder(input: SlowInput): Counted {
  const timed = input.rows.flatMap((row, i) => (row['local_timestamp'] === '' ? [] : [i]));
  const at = (i: number): number => Number(input.rows[i]?.['local_timestamp']);
  return counted(
    input,
    timed.filter((i, n) => n > 0 && at(i) < at(timed[n - 1] as number)),
  );
}

function duplicateRows(input: SlowInput): Counted {
  const { rows, columns, dataType } = input;
  const textOf = (i: number): string => JSON.stringify(columns.map((name) => rows[i]?.[name]));
  const found = rows.flatMap((row, i) => {
    const isCounted = !isTrade(dataType) || row['id'] !== '';
    return i > 0 && isCounted && textOf(i) === textOf(i - 1) ? [i] : [];
  });
  return counted(input, found);
}

function duplicateIds(input: SlowInput): Counted {
  const found: number[] = [];
  for (const indices of bySymbol(input).values()) {
    const ids = indices.filter((i) => input.rows[i]?.['id'] !== '');
    const idOf = (i: number): string | undefined => input.rows[i]?.['id'];
    for (const [n, i] of ids.entries())
      if (ids.slice(0, n).some((other) => idOf(other) === idOf(i))) found.push(i);
  }
  return counted(input, found);
}

function idGaps(input: SlowInput): Counted {
  const found: number[] = [];
  let total: bigint | undefined;
  for (const indices of bySymbol(input).values()) {
    const ids = indices.map((i) => input.rows[i]?.['id'] ?? '');
    if (ids.length < 2 || !ids.every((id) => /^\d{1,18}$/.test(id))) continue;
    const steps = ids.slice(1).map((id, n) => BigInt(id) - BigInt(ids[n] as string));
    if (steps.filter((step) => step === 1n).length < 0.9 * steps.length) continue;
    for (const [n, step] of steps.entries()) {
      total = (total ?? 0n) + (step > 1n ? step - 1n : 0n);
      if (step > 1n) found.push(indices[n + 1] as number);
    }
  }
  if (total === undefined) return { count: null };
  return { ...counted(input, found), count: Number(total) };
}

function missingValues(input: SlowInput): Counted {
  const names = ['exchange', 'symbol', 'timestamp', 'local_timestamp'];
  if (isTrade(input.dataType) || isBook(input.dataType)) names.push('price', 'amount', 'side');
  const found = input.rows.flatMap((row, i) => names.flatMap((name) => (row[name] === '' ? [i] : [])));
  return counted(input, found);
}

function badNumbers(input: SlowInput): Counted {
  const { dataType, combos = [] } = input;
  const found = input.rows.flatMap((row, i) =>
    input.columns.flatMap((name) => {
      const text = row[name];
      if (text === undefined || text === '') return [];
      const value = Number(text);
      if (/(^|_|\.)price$/.test(name) && /^(price|ask_price|bid_price|(asks|bids)\[)/.test(name)) {
        const isCounted = dataType !== 'options_chain' && !combos.includes(row['symbol'] ?? '');
        return isCounted && value <= 0 ? [i] : [];
      }
      if (!/^(amount|ask_amount|bid_amount|(asks|bids)\[\d+\]\.amount)$/.test(name)) return [];
      return value < 0 || (dataType === 'trades' && value === 0) ? [i] : [];
    }),
  );
  return counted(input, found);
}

function priceJumps(input: SlowInput): Counted {
  const found: number[] = [];
  for (const indices of bySymbol(input).values()) {
    let before: number | undefined;
    for (const i of indices) {
      const price = Number(input.rows[i]?.['price']);
      if (!(price > 0)) continue;
      const limit = 1 + input.jump;
      if (before !== undefined && (price > before * limit || price * limit < before)) found.push(i);
      before = price;
    }
  }
  return counted(input, found);
}

function startSnapshots(input: SlowInput): Counted {
  const found = [...bySymbol(input).values()].flatMap((indices) => {
    const first = indices.find((i) => input.rows[i]?.['is_snapshot'] !== '');
    return first !== undefined && input.rows[first]?.['is_snapshot'] === 'false' ? [first] : [];
  });
  return counted(input, found);
}

function midSnapshots(input: SlowInput): Counted {
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

interface SlowState {
  readonly symbol: string;
  readonly clock: number;
  readonly last: number;
  readonly bid: number | undefined;
  readonly ask: number | undefined;
}

/** The states of a book, and the rows that delete an absent level. */
function bookStates(input: SlowInput): { states: SlowState[]; absent: number[] } {
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

function rowStates(input: SlowInput): SlowState[] {
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

function countStates(
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

function levelOrder(input: SlowInput): Counted {
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

/** All checks by their definitions, over texts, with no regard to speed. */
export function slowChecks(input: SlowInput): Record<string, Counted> {
  const { dataType, rows, dayStart } = input;
  const rowsWhere = (isCounted: (row: TextRow) => boolean): Counted =>
    counted(
      input,
      rows.flatMap((row, i) => (isCounted(row) ? [i] : [])),
    );
  const { states, absent } = isBook(dataType) ? bookStates(input) : { states: [], absent: [] };
  const tops = isBook(dataType) || !hasTops(dataType) ? states : rowStates(input);
  return {
    local_order: localOrder(input),
    outside_day: rowsWhere(({ local_timestamp: text }) => {
      const local = time(text);
      return local !== undefined && (local < dayStart || local >= dayStart + US_PER_DAY);
    }),
    exchange_order: exchangeOrder(input),
    future_timestamp: futureTimestamps(input),
    gap: gaps(input),
    duplicate_row: duplicateRows(input),
    ...(isTrade(dataType) && { duplicate_id: duplicateIds(input) }),
    ...(dataType === 'trades' && { id_gap: idGaps(input) }),
    missing_value: missingValues(input),
    ...(dataType !== 'derivative_ticker' && { bad_number: badNumbers(input) }),
    ...(isTrade(dataType) && {
      unknown_side: rowsWhere(({ side }) => side !== '' && side !== 'buy' && side !== 'sell'),
    }),
    ...(dataType === 'trades' && { price_jump: priceJumps(input) }),
    ...(isBook(dataType) && { no_start_snapshot: startSnapshots(input), mid_snapshot: midSnapshots(input) }),
    ...(hasTops(dataType) && {
      crossed: countStates(input, tops, (bid, ask) => bid > ask),
      locked: countStates(input, tops, (bid, ask) => bid === ask),
    }),
    ...(isBook(dataType) && { delete_absent: counted(input, absent) }),
    ...(dataType.startsWith('book_snapshot_') && { level_order: levelOrder(input) }),
  };
}

/** Latencies in ascending order. */
export function slowLatencies(rows: readonly TextRow[]): readonly number[] {
  return rows
    .filter((row) => row['timestamp'] !== '' && row['local_timestamp'] !== '')
    .map((row) => Number(row['local_timestamp']) - Number(row['timestamp']))
    .sort((a, b) => a - b);
}
