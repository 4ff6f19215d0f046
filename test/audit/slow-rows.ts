import type { CheckThresholds } from '../../src/audit/content-check.js';

/** One row of CSV text by column; an empty text is an empty cell. */
export type TextRow = Readonly<Record<string, string>>;

export interface Counted {
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

export const US_PER_DAY = 86_400_000_000;
export function placeOf(input: SlowInput, index: number): NonNullable<Counted['first']> {
  const row = input.rows[index] as TextRow;
  return {
    row: index + 1,
    localTimestamp: row['local_timestamp'] === '' ? null : Number(row['local_timestamp']),
    symbol: row['symbol'] || null,
  };
}

/** The result of rows that are counted, one index per count. */
export function counted(input: SlowInput, indices: readonly number[]): Counted {
  if (indices.length === 0) return { count: 0 };
  return { count: indices.length, first: placeOf(input, Math.min(...indices)) };
}

export function time(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}

/** Groups the indices of rows with a symbol. */
export function bySymbol({ rows }: SlowInput): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) {
    const symbol = row['symbol'];
    if (!symbol) continue;
    const group = groups.get(symbol);
    if (group) group.push(i);
    else groups.set(symbol, [i]);
  }
  return groups;
}

export function clocksOf({ rows, dayStart }: SlowInput): number[] {
  let clock = dayStart;
  return rows.map((row) => {
    const at = time(row['local_timestamp']) ?? -1;
    if (at > clock && at < dayStart + US_PER_DAY) clock = at;
    return clock;
  });
}

export function stretchSums(
  periods: readonly (readonly [number, number])[],
): Pick<Counted, 'seconds' | 'longest'> {
  const sorted = [...periods].sort((a, b) => b[1] - b[0] - (a[1] - a[0]) || a[0] - b[0]);
  const [longest] = sorted;
  return {
    seconds: periods.reduce((sum, [start, end]) => sum + end - start, 0) / 1e6,
    longest: longest ? { start: longest[0], seconds: (longest[1] - longest[0]) / 1e6 } : null,
  };
}
