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

/** A common prefix of the paths of some day files, with the values that it contains. */
interface PathPrefix {
  readonly text: string;
  readonly type?: string;
  readonly symbol?: string;
  /** The leading part of `YYYY-MM-DD` that the prefix contains. */
  readonly date: string;
}

const YEAR_LENGTH = 'YYYY'.length;
const MONTH_LENGTH = 'YYYY-MM'.length;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/**
 * Prefixes of the paths of some day files, as narrow as possible, for listings of object stores. For a layout
 * function, whose paths are unknown, the only prefix is the empty text.
 * @param maxPrefixes upper limit of their number.
 */
export function layoutPrefixes(
  layout: Layout,
  files: PlannedFileSet,
  maxPrefixes: number,
): readonly string[] {
  if (!layout.isTemplate) return [''];
  const dates: string[] = [];
  for (let day = files.from; day < files.to; day++) dates.push(formatDay(day as Day));
  let prefixes: readonly PathPrefix[] = [{ text: '', date: '' }];
  for (const token of splitTemplate(layout.template)) {
    const [full, ...coarser] = tokenExpansions(token, files, dates);
    const next = isDayOfSeries(token, prefixes, dates)
      ? undefined
      : full && expandAll(prefixes, full, maxPrefixes);
    prefixes =
      next ?? coarser.map((expand) => expandAll(prefixes, expand, maxPrefixes)).find(Boolean) ?? prefixes;
    // Tokens after one that is not expanded in full cannot be part of a prefix.
    if (!next) break;
  }
  // In a path, a folder of dots is escaped, which prefixes do not account for.
  return prefixes.some(({ text }) => /(?:^|\/)\./.test(text)) ? [''] : prefixes.map(({ text }) => text);
}

/** Listing a month of one series takes a single request, as listing one of its days does. */
function isDayOfSeries(
  token: string,
  prefixes: readonly PathPrefix[],
  { length }: readonly string[],
): boolean {
  const [{ type, symbol } = {}] = prefixes;
  return (
    DATE_PLACEHOLDERS.get(token)?.end === DAY_LENGTH &&
    length > 1 &&
    type !== undefined &&
    symbol !== undefined
  );
}

type ExpandPrefix = (prefix: PathPrefix) => readonly PathPrefix[];

/** @returns undefined if there are too many results, or none. */
function expandAll(
  prefixes: readonly PathPrefix[],
  expand: ExpandPrefix,
  maxPrefixes: number,
): readonly PathPrefix[] | undefined {
  const expanded: PathPrefix[] = [];
  for (const prefix of prefixes) {
    for (const longer of expand(prefix)) {
      if (expanded.length === maxPrefixes) return undefined;
      expanded.push(longer);
    }
  }
  return expanded.length === 0 ? undefined : expanded;
}

/**
 * Ways to append a token of a template to a prefix: in full first, then coarser ones. A way has no results if
 * another token has to be appended before.
 */
function tokenExpansions(
  token: string,
  files: PlannedFileSet,
  dates: readonly string[],
): readonly ExpandPrefix[] {
  const date = DATE_PLACEHOLDERS.get(token);
  if (date) {
    const ends = token === '{date}' ? [DAY_LENGTH, MONTH_LENGTH, YEAR_LENGTH] : [date.end];
    return ends.map((end) => (prefix) => {
      // The earlier parts of the date must be in the prefix already.
      if (prefix.date.length < date.start - 1) return [];
      const values = new Set(
        dates.filter((text) => text.startsWith(prefix.date)).map((text) => text.slice(0, end)),
      );
      return [...values].map((value) => ({
        ...prefix,
        text: prefix.text + value.slice(date.start),
        date: value.length > prefix.date.length ? value : prefix.date,
      }));
    });
  }
  const { exchange, dataTypes, symbols } = files;
  if (token === '{exchange}')
    return [({ text, ...rest }) => [{ ...rest, text: text + toSafeFileName(exchange) }]];
  if (token === '{type}')
    return [
      ({ text, ...rest }) =>
        (rest.type === undefined ? dataTypes : [rest.type]).map((type) => ({
          ...rest,
          type,
          text: text + toSafeFileName(type),
        })),
    ];
  if (token === '{symbol}')
    return [
      ({ text, ...rest }) =>
        (rest.symbol === undefined ? symbols : [rest.symbol]).map((symbol) => ({
          ...rest,
          symbol,
          text: text + toSafeFileName(symbol),
        })),
    ];
  return [({ text, ...rest }) => [{ ...rest, text: text + token }]];
}
