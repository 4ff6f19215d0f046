import { formatSize, plural } from '../../../base/units.js';
import { addDays, type Day, formatDay } from '../../../dataset/day.js';
import type { PageCanvas, PageNode } from '../../../page/browser/dom.js';
import { make } from '../../../page/browser/elements.js';
import { type Run, runsOf, unpackStates } from '../../runs.js';
import type { DayState } from '../../types.js';
import type { PackedSeries, PageData } from '../data.js';
import { type Calendar, createCalendar } from './calendar.js';

/** A series as the list sorts and shows it. */
export interface ListedSeries {
  readonly name: string;
  /** The name in small letters. */
  readonly searched: string;
  readonly missing: number;
  readonly bytes: number;
  /** Its place on the page, made when it is first shown. */
  section(): SeriesSection;
}

export interface SeriesSection {
  readonly node: PageNode;
  readonly calendar: Calendar;
}

export function listSeries({ exchanges, dataTypes, series }: PageData): readonly ListedSeries[] {
  return series.map((packed) => {
    const [exchange, dataType, symbol, first, packedStates, , bytes] = packed;
    const name = `${exchanges[exchange]} ${dataTypes[dataType]} ${symbol}`;
    const states = unpackStates(packedStates);
    let section: SeriesSection | undefined;
    return {
      name,
      searched: name.toLowerCase(),
      missing: countOf(states, 'm'),
      bytes,
      section() {
        section ??= makeSection(name, first as Day, states, packed);
        return section;
      },
    };
  });
}

function makeSection(name: string, first: Day, states: string, packed: PackedSeries): SeriesSection {
  const facts = factsOf(first, states, packed);
  const canvas = make('canvas') as PageCanvas;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-roledescription', 'calendar');
  canvas.setAttribute('aria-label', `${name}: ${facts}`);
  const node = make('article', 'series', make('h3', '', name), make('p', 'soft', facts), canvas);
  if (/[em]/.test(states)) node.append(lackList(first, states));
  return { node, calendar: createCalendar(canvas, first, states) };
}

function factsOf(first: Day, states: string, [, , , , , rows, bytes, gone]: PackedSeries): string {
  const present = countOf(states, 'p');
  const counts = [
    `${plural(present, 'day', number(present))} present`,
    `${number(countOf(states, 'e'))} empty`,
    `${number(countOf(states, 'm'))} missing${gone > 0 ? ` (${number(gone)} recorded and gone)` : ''}`,
  ];
  const last = addDays(first, states.length - 1);
  return `${formatDay(first)} to ${formatDay(last)}: ${counts.join(', ')}; ${plural(rows, 'row', number(rows))}, ${formatSize(bytes)}`;
}

/** The days that are not present, in words; written when it is opened. */
function lackList(first: Day, states: string): PageNode {
  const details = make('details', '', make('summary', '', 'Missing and empty days'));
  const text = make('p');
  details.append(text);
  details.addEventListener('toggle', () => {
    text.textContent ||= (['m', 'e'] as const)
      .map((state) => ({ state, runs: runsOf(states).filter((run) => run.state === state) }))
      .filter(({ runs }) => runs.length > 0)
      .map(
        ({ state, runs }) =>
          `${state === 'm' ? 'Missing' : 'Empty'}: ${runs.map((run) => runText(first, run)).join(', ')}.`,
      )
      .join(' ');
  });
  return details;
}

function runText(first: Day, { start, days }: Run): string {
  const from = formatDay(addDays(first, start));
  return days === 1 ? from : `${from} to ${formatDay(addDays(first, start + days - 1))}`;
}

function countOf(states: string, state: DayState): number {
  return states.split(state).length - 1;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
