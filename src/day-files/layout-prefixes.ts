import { type Day, formatDay } from './day.js';
import { DATE_PLACEHOLDERS, splitTemplate, toSafeFileName } from './file-naming.js';
import type { Layout } from './layout.js';

/** Day files to list: all combinations of the data types and symbols, over a range of days. */
export interface PlannedFileSet {
  readonly exchange: string;
  readonly dataTypes: readonly string[];
  readonly symbols: readonly string[];
  /** UTC days; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** A date in full, then its coarser forms: the month, the year. */
const DATE_LENGTHS = [DAY_LENGTH, 'YYYY-MM'.length, 'YYYY'.length];

/** Not in the prefix yet, so that all values share it. */
const ANY: readonly string[] = [''];

/**
 * Prefixes of the paths of some day files, as narrow as possible, for listings of object stores. For a layout
 * function, whose paths are unknown, the only prefix is the empty text. The template is cut before the first token that
 * would give too many prefixes, or after the coarser form of a date that does not.
 * @param maxPrefixes upper limit of their number.
 */
export function layoutPrefixes(
  layout: Layout,
  { exchange, dataTypes, symbols, from, to }: PlannedFileSet,
  maxPrefixes: number,
): readonly string[] {
  if (!layout.isTemplate) return [''];
  const days = Array.from({ length: to - from }, (_, index) => formatDay((from + index) as Day));
  let [types, names, dates] = [ANY, ANY, ANY];
  const pieces: ((type: string, name: string, date: string) => string)[] = [];
  const fits = (a: readonly string[], b: readonly string[], c: readonly string[]): boolean => {
    const count = a.length * b.length * c.length;
    return count > 0 && count <= maxPrefixes;
  };
  for (const token of splitTemplate(layout.template)) {
    const placeholder = DATE_PLACEHOLDERS.get(token);
    if (placeholder) {
      const { start, end } = placeholder;
      const known = dates[0]?.length ?? 0;
      // The earlier parts of the date must be in the prefix already.
      if (known < start - 1) break;
      const datesOf = (length: number) => [
        ...new Set(days.map((day) => day.slice(0, Math.max(known, length)))),
      ];
      // Listing a month of one series takes a single request, as listing one of its days does.
      const isDayOfSeries = end === DAY_LENGTH && days.length > 1 && types !== ANY && names !== ANY;
      const lengths = (token === '{date}' ? DATE_LENGTHS : [end]).slice(isDayOfSeries ? 1 : 0);
      const length = lengths.find((candidate) => fits(types, names, datesOf(candidate)));
      if (length === undefined) break;
      dates = datesOf(length);
      pieces.push((_, __, date) => date.slice(start, length));
      // Tokens after one that is not there in full cannot be part of a prefix.
      if (length < end) break;
    } else if (token === '{type}') {
      if (!fits(dataTypes, names, dates)) break;
      types = dataTypes;
      pieces.push(toSafeFileName);
    } else if (token === '{symbol}') {
      if (!fits(types, symbols, dates)) break;
      names = symbols;
      pieces.push((_, name) => toSafeFileName(name));
    } else {
      const text = token === '{exchange}' ? toSafeFileName(exchange) : token;
      pieces.push(() => text);
    }
  }
  const prefixes = types.flatMap((type) =>
    names.flatMap((name) => dates.map((date) => pieces.map((piece) => piece(type, name, date)).join(''))),
  );
  // In a path, a folder of dots is escaped, which prefixes do not account for.
  return prefixes.some((prefix) => /(?:^|\/)\./.test(prefix)) ? [''] : prefixes;
}
