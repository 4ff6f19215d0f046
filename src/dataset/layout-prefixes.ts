import { type Day, formatDay } from './day.js';
import { DATE_PLACEHOLDERS, splitTemplate, toSafeFileName } from './file-naming.js';
import type { Layout } from './layout.js';

/** Day files that a listing is to find: each of some types and symbols, over a range of days. */
export interface PlannedFileSet {
  readonly exchange: string;
  readonly dataTypes: readonly string[];
  readonly symbols: readonly string[];
  /** UTC days, the second one exclusive. */
  readonly from: number;
  readonly to: number;
}

/** What the paths of some files begin with, and what of them is said by then. */
interface PathPrefix {
  readonly text: string;
  readonly type?: string;
  readonly symbol?: string;
  /** As much of `YYYY-MM-DD`, from its start. */
  readonly date: string;
}

const YEAR_LENGTH = 'YYYY'.length;
const MONTH_LENGTH = 'YYYY-MM'.length;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/**
 * What the paths of some day files begin with, as narrow as it can be said in few, for stores, which list by it. Of a
 * layout of the user's own nothing is known: all paths begin with the empty text.
 * @param most how many there may be.
 */
export function layoutPrefixes(layout: Layout, files: PlannedFileSet, most: number): readonly string[] {
  if (!layout.isTemplate) return [''];
  const dates: string[] = [];
  for (let day = files.from; day < files.to; day++) dates.push(formatDay(day as Day));
  let found: readonly PathPrefix[] = [{ text: '', date: '' }];
  for (const token of splitTemplate(layout.template)) {
    const [inFull, ...coarser] = tokenExpansions(token, files, dates);
    const next = isDayOfSeries(token, found, dates) ? undefined : inFull && expandAll(found, inFull, most);
    found = next ?? coarser.map((say) => expandAll(found, say, most)).find(Boolean) ?? found;
    // What comes behind a part that isn't said can't be said either.
    if (!next) break;
  }
  // A folder of dots is written in another way.
  return found.some(({ text }) => /(?:^|\/)\./.test(text)) ? [''] : found.map(({ text }) => text);
}

/** A listing of a series' month is one request, as one of its day is. */
function isDayOfSeries(token: string, found: readonly PathPrefix[], { length }: readonly string[]): boolean {
  const [{ type, symbol } = {}] = found;
  return (
    DATE_PLACEHOLDERS.get(token)?.end === DAY_LENGTH &&
    length > 1 &&
    type !== undefined &&
    symbol !== undefined
  );
}

type ExpandPrefix = (beginning: PathPrefix) => readonly PathPrefix[];

/** Undefined where that gives too many, or none. */
function expandAll(
  beginnings: readonly PathPrefix[],
  say: ExpandPrefix,
  most: number,
): readonly PathPrefix[] | undefined {
  const said: PathPrefix[] = [];
  for (const beginning of beginnings) {
    for (const longer of say(beginning)) {
      if (said.length === most) return undefined;
      said.push(longer);
    }
  }
  return said.length === 0 ? undefined : said;
}

/** How a part of a template goes on: in full, and then in coarser ways. None comes where something else has to come first. */
function tokenExpansions(
  token: string,
  files: PlannedFileSet,
  dates: readonly string[],
): readonly ExpandPrefix[] {
  const date = DATE_PLACEHOLDERS.get(token);
  if (date) {
    const ends = token === '{date}' ? [DAY_LENGTH, MONTH_LENGTH, YEAR_LENGTH] : [date.end];
    return ends.map((end) => (beginning) => {
      // What comes before it in a date has to be said before.
      if (beginning.date.length < date.start - 1) return [];
      const values = new Set(
        dates.filter((one) => one.startsWith(beginning.date)).map((one) => one.slice(0, end)),
      );
      return [...values].map((value) => ({
        ...beginning,
        text: beginning.text + value.slice(date.start),
        date: value.length > beginning.date.length ? value : beginning.date,
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
