import { dataTypeColumns } from '../../src/day-files/data-types.js';
import { parseDay } from '../../src/day-files/day.js';
import type { TextRow } from './slow-rows.js';

export const DATE = '2024-03-01';
export const DAY_START = parseDay(DATE) * 86_400_000_000;

/** Random numbers, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface MadeUpOptions {
  readonly dataType: string;
  readonly rows: number;
  readonly seed: number;
  /** Probability of each kind of fault per row. */
  readonly faults: number;
}

/** Rows with planted faults: small sets of values, so that equal ones meet. */
export function makeUpRows({ dataType, rows, seed, faults }: MadeUpOptions): TextRow[] {
  const random = createRandom(seed);
  const chance = (probability: number): boolean => random() < probability;
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const columns = (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  const made: Record<string, string>[] = [];
  let local = DAY_START + Math.floor(random() * 2 * 3_600_000_000);
  let id = 10 ** Math.floor(random() * 17);
  const symbols = seed % 3 === 0 ? ['BTC', 'ETH', 'X-1'] : ['BTC'];
  const step = (86_400_000_000 / (rows + 1)) * 0.9;
  for (let i = 0; i < rows; i++) {
    const previous = made.at(-1);
    if (previous && chance(faults)) {
      made.push({ ...previous, ...(chance(0.3) && { amount: `${previous['amount']}0` }) });
      continue;
    }
    if (!previous || chance(0.6)) local += Math.floor(random() * 2 * step);
    if (chance(faults)) local += Math.floor(random() * 200 * step);
    if (chance(faults)) local -= Math.floor(random() * 3 * step);
    id += chance(faults) ? Math.floor(random() * 5) - 1 : 1;
    const row: Record<string, string> = {
      exchange: 'deribit',
      symbol: pick(...symbols),
      timestamp: String(local - pick(0, 1, 250, 3000, 1_000_000)),
      local_timestamp: String(local),
    };
    if (previous && chance(0.5)) row['timestamp'] = previous['timestamp'] as string;
    if (chance(faults)) row['timestamp'] = String(local + Math.floor(random() * 5000));
    const price = (): string => pick('99', '99.5', '100', '100.0', '100.5', '101');
    for (const name of columns.slice(4)) row[name] = createCell(name, price, pick, i);
    if (dataType === 'trades' || dataType === 'liquidations') {
      row['id'] = seed % 4 === 0 ? `t${Math.floor(random() * rows)}-${i % 7}-some-long-text` : String(id);
      row['side'] = chance(faults) ? pick('unknown', 'BUY') : pick('buy', 'sell');
      if (chance(faults)) row['price'] = pick('120', '80', '0', '-1');
    }
    if (dataType === 'incremental_book_L2') {
      row['side'] = pick('bid', 'ask');
      row['is_snapshot'] = String(i < 3 ? !chance(faults) : chance(0.05));
      row['price'] =
        row['side'] === 'bid' || chance(faults) ? pick('99', '99.5', '100') : pick('100.5', '101', '102');
      row['amount'] = pick('0', '1', '2.5', '0.0');
    }
    if (dataType.startsWith('book_snapshot_')) orderLevels(row, columns, () => chance(faults));
    for (const name of columns) {
      if (chance(faults / columns.length)) row[name] = '';
      if (/amount|price/.test(name) && chance(faults / columns.length))
        row[name] = pick('-1', '0', '-0.0', '1e2');
    }
    made.push(row);
  }
  return made;
}

function createCell(
  name: string,
  price: () => string,
  pick: <T>(...values: readonly T[]) => T,
  row: number,
): string {
  if (/amount/.test(name)) return pick('1', '2.5', '1.0');
  if (name === 'bid_price') return pick('99', '99.5', '100');
  if (/price/.test(name)) return price();
  if (/timestamp|expiration/.test(name)) return String(DAY_START + row);
  if (name === 'type') return pick('call', 'put');
  return pick('0.01', '0.02');
}

/** Replaces the levels by ordered ones, with a few faults. */
function orderLevels(row: Record<string, string>, columns: readonly string[], isFault: () => boolean): void {
  const depth = columns.filter((name) => name.startsWith('asks[') && name.endsWith('.price')).length;
  const present = isFault() ? Math.floor(depth / 2) : depth;
  for (let level = 0; level < depth; level++) {
    const isEmpty = level >= present && !isFault();
    const shift = isFault() ? -1 : 0;
    row[`asks[${level}].price`] = isEmpty ? '' : String(100 + (level + shift) / 2);
    row[`bids[${level}].price`] = isEmpty ? '' : String(99.5 - (level + (isFault() ? -1 : 0)) / 2);
  }
}

/** The rows as CSV text with a header. */
export function toCsv(columns: readonly string[], rows: readonly TextRow[]): string {
  return [columns.join(), ...rows.map((row) => columns.map((name) => row[name]).join())]
    .map((line) => `${line}\n`)
    .join('');
}

/** Parses CSV text without quotes. */
export function parseTextRows(csv: string): { columns: readonly string[]; rows: TextRow[] } {
  const [header = '', ...lines] = csv.trimEnd().split(/\r?\n/);
  const columns = header.split(',');
  return {
    columns,
    rows: lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, i) => [columns[i] as string, cell])),
    ),
  };
}
