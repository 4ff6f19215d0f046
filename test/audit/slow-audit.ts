import {
  bookStates,
  countStates,
  levelOrder,
  midSnapshots,
  rowStates,
  startSnapshots,
} from './slow-books.js';
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

const isBook = (type: string): boolean => type === 'incremental_book_L2';
const isTrade = (type: string): boolean => type === 'trades' || type === 'liquidations';
const hasTops = (type: string): boolean =>
  /^(incremental_book_L2|quotes|book_ticker|book_snapshot_\d+)$/.test(type);

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
  const texts = rows.map((row) => JSON.stringify(columns.map((name) => row[name])));
  const found = rows.flatMap((row, i) => {
    const isCounted = !isTrade(dataType) || row['id'] !== '';
    return i > 0 && isCounted && texts[i] === texts[i - 1] ? [i] : [];
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
  const isPrice = (name: string): boolean =>
    /(^|_|\.)price$/.test(name) && /^(price|ask_price|bid_price|(asks|bids)\[)/.test(name);
  const isAmount = (name: string): boolean =>
    /^(amount|ask_amount|bid_amount|(asks|bids)\[\d+\]\.amount)$/.test(name);
  const prices = new Set(input.columns.filter(isPrice));
  const names = input.columns.filter((name) => isPrice(name) || isAmount(name));
  const found = input.rows.flatMap((row, i) =>
    names.flatMap((name) => {
      const text = row[name];
      if (text === undefined || text === '') return [];
      const value = Number(text);
      if (prices.has(name)) {
        const isCounted = dataType !== 'options_chain' && !combos.includes(row['symbol'] ?? '');
        return isCounted && value <= 0 ? [i] : [];
      }
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
