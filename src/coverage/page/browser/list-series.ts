import { formatSize, plural } from '../../../base/units.js';
import { addDays, type Day, formatDay } from '../../../dataset/day.js';
import type { PageCanvas, PageNode } from '../../../page/browser/dom.js';
import { createElement } from '../../../page/browser/elements.js';
import type { DayState } from '../../coverage-facts.js';
import { type StateRun, splitIntoRuns, unpackStates } from '../../state-runs.js';
import type { PackedSeries, PageData } from '../page-data.js';
import { type Calendar, createCalendar } from './calendar.js';

/** A series as the list sorts and shows it. */
export interface ListedSeries {
  readonly name: string;
  /** The name in lower case. */
  readonly searchText: string;
  readonly missing: number;
  readonly bytes: number;
  /** Its section of the page, created when it is first shown. */
  section(): SeriesSection;
}

export interface SeriesSection {
  readonly node: PageNode;
  readonly calendar: Calendar;
}

/** Unpacks the series of the page's data. */
export function listSeries({ exchanges, dataTypes, series }: PageData): readonly ListedSeries[] {
  return series.map((packed) => {
    const [exchange, dataType, symbol, first, packedStates, , bytes] = packed;
    const name = `${exchanges[exchange]} ${dataTypes[dataType]} ${symbol}`;
    const states = unpackStates(packedStates);
    let section: SeriesSection | undefined;
    return {
      name,
      searchText: name.toLowerCase(),
      missing: countDays(states, 'm'),
      bytes,
      section() {
        section ??= createSection(name, first as Day, states, packed);
        return section;
      },
    };
  });
}

function createSection(name: string, first: Day, states: string, packed: PackedSeries): SeriesSection {
  const description = describeSeries(first, states, packed);
  const canvas = createElement('canvas') as PageCanvas;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-roledescription', 'calendar');
  canvas.setAttribute('aria-label', `${name}: ${description}`);
  const node = createElement(
    'article',
    'series',
    createElement('h3', '', name),
    createElement('p', 'soft', description),
    canvas,
  );
  if (/[em]/.test(states)) node.append(createIncompleteDaysList(first, states));
  return { node, calendar: createCalendar(canvas, first, states) };
}

function describeSeries(first: Day, states: string, [, , , , , rows, bytes, gone]: PackedSeries): string {
  const present = countDays(states, 'p');
  const counts = [
    `${plural(present, 'day', formatNumber(present))} present`,
    `${formatNumber(countDays(states, 'e'))} empty`,
    `${formatNumber(countDays(states, 'm'))} missing${gone > 0 ? ` (${formatNumber(gone)} recorded and gone)` : ''}`,
  ];
  const last = addDays(first, states.length - 1);
  return `${formatDay(first)} to ${formatDay(last)}: ${counts.join(', ')}; ${plural(rows, 'row', formatNumber(rows))}, ${formatSize(bytes)}`;
}

/** A collapsible text list of missing and empty days, filled in when opened. */
function createIncompleteDaysList(first: Day, states: string): PageNode {
  const details = createElement('details', '', createElement('summary', '', 'Missing and empty days'));
  const text = createElement('p');
  details.append(text);
  details.addEventListener('toggle', () => {
    text.textContent ||= (['m', 'e'] as const)
      .map((state) => ({ state, runs: splitIntoRuns(states).filter((run) => run.state === state) }))
      .filter(({ runs }) => runs.length > 0)
      .map(
        ({ state, runs }) =>
          `${state === 'm' ? 'Missing' : 'Empty'}: ${runs.map((run) => formatRun(first, run)).join(', ')}.`,
      )
      .join(' ');
  });
  return details;
}

function formatRun(first: Day, { start, days }: StateRun): string {
  const from = formatDay(addDays(first, start));
  return days === 1 ? from : `${from} to ${formatDay(addDays(first, start + days - 1))}`;
}

function countDays(states: string, state: DayState): number {
  return states.split(state).length - 1;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

export type SeriesOrder = 'name' | 'missing' | 'size';

/** Filters and sorts series. A series matches if its name contains all words of the filter. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: SeriesOrder,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
  if (order === 'missing') chosen.sort((a, b) => b.missing - a.missing);
  if (order === 'size') chosen.sort((a, b) => b.bytes - a.bytes);
  return chosen;
}
