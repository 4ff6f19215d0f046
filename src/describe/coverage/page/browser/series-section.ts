import { createElement } from '../../../../base/page/browser/elements.js';
import { formatSize, plural } from '../../../../base/units.js';
import { addDays, type Day, formatDay } from '../../../../day-files/day.js';
import { unpackStates } from '../../coverage-facts.js';
import { formatNumber, formatWeekday } from '../format-value.js';
import type { PackedSeries, PageData, PageDay, StateWords } from '../page-data.js';
import { type Calendar, createCalendar } from './calendar.js';
import { createSeriesCharts } from './charts.js';
import { createDayList, createDayPanel, createReasonName } from './day-panel.js';

/** A series on the page. */
export interface SeriesSection {
  readonly node: HTMLElement;
  readonly calendar: Calendar;
  /** Draws the charts of the section, if there are any, with the current colours of the page. */
  redrawCharts(): void;
}

function createSeriesSection(
  name: string,
  packed: PackedSeries,
  { words, listTitle, reasons: allReasons = [] }: PageData,
): SeriesSection {
  const [, , , firstDay, packedStates, , , , packedDays] = packed;
  const first = firstDay as Day;
  const states = unpackStates(packedStates);
  const days = new Map<Day, PageDay>(packedDays.map(([index, day]) => [addDays(first, index), day]));
  const listed = words.filter(({ isListed }) => isListed);
  const description = describeSeries(first, states, packed, words);

  const canvas = createElement('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-roledescription', 'calendar');
  canvas.setAttribute('aria-label', `${name}: ${description}`);

  const meanings = new Map(allReasons);
  const listCauses = (day: Day): readonly string[] => {
    const { reasons = [], error } = days.get(day) ?? {};
    return [...reasons, ...(error === undefined ? [] : [error])];
  };
  const explain = (day: Day): readonly (HTMLElement | string)[] =>
    listCauses(day).flatMap((cause, at) => [at === 0 ? ': ' : ', ', createReasonName(cause, meanings)]);
  const describeDay = (day: Day): string => {
    const { word, note } = words.find(({ state }) => state === states.charAt(day - first)) ?? {
      word: 'not audited',
    };
    const details = note ?? listCauses(day).join(', ');
    return `${formatWeekday(day)}: ${word}${details === '' ? '' : `: ${details}`}`;
  };
  const explainDay = (day: Day): readonly string[] => [
    describeDay(day),
    ...allReasons.filter(([name]) => listCauses(day).includes(name)).map((texts) => texts.join(': ')),
  ];
  let selected = first;
  const select = (day: Day): void => {
    selected = Math.max(first, Math.min(first + states.length - 1, day)) as Day;
    panel.show(describeDay(selected), days.get(selected));
    calendar.select(selected);
  };
  const panel = createDayPanel(
    (step) => select(addDays(selected, step)),
    () => {
      panel.node.hidden = true;
      calendar.select(undefined);
      canvas.focus();
    },
    meanings,
  );
  const selectFromList = (day: Day): void => {
    select(day);
    panel.focus();
  };
  const calendar = createCalendar(canvas, {
    first,
    states,
    describe: explainDay,
    isListed: (state) => listed.some((each) => each.state === state),
    ...(days.size > 0 && { onSelect: select }),
  });

  const node = createElement(
    'article',
    'series',
    createElement('h3', '', name),
    createElement('p', 'soft', description),
    canvas,
    panel.node,
  );
  if (listed.some(({ state }) => states.includes(state))) {
    node.append(
      createDayList({ title: listTitle, first, states, words: listed, explain, onSelect: selectFromList }),
    );
  }
  const charts = createSeriesCharts(days);
  if (charts) node.append(charts.node);
  return { node, calendar, redrawCharts: () => charts?.redraw() };
}

function describeSeries(
  first: Day,
  states: string,
  [, , , , , rows, bytes, gone]: PackedSeries,
  words: readonly StateWords[],
): string {
  const counts = new Map<string, number>();
  for (const { state, word, counted = state } of words) {
    const count = [...counted].reduce((sum, each) => sum + countDays(states, each), 0);
    counts.set(word, (counts.get(word) ?? 0) + count);
  }
  const texts = [...counts].map(([word, count], index) => {
    const number = formatNumber(count);
    const note = word === 'missing' && gone > 0 ? ` (${formatNumber(gone)} recorded and gone)` : '';
    return index === 0 ? `${plural(count, 'day', number)} ${word}` : `${number} ${word}${note}`;
  });
  const last = addDays(first, states.length - 1);
  const sums = [plural(rows, 'row', formatNumber(rows)), ...(bytes === null ? [] : [formatSize(bytes)])];
  return `${formatDay(first)} to ${formatDay(last)}: ${texts.join(', ')}; ${sums.join(', ')}`;
}

/** The number of days of a state. */
function countDays(states: string, state: string): number {
  return states.split(state).length - 1;
}

/** A series as the list sorts and shows it. */
export interface ListedSeries {
  readonly name: string;
  /** The name in lower case. */
  readonly searchText: string;
  /** What the list is sorted by, the greatest first. */
  readonly amounts: Readonly<Record<Exclude<SeriesOrder, 'name'>, number>>;
  /** Its section of the page, created when it is first shown. */
  section(): SeriesSection;
}

export type SeriesOrder = 'name' | 'missing' | 'degraded' | 'size' | 'rows';

/** Unpacks the series of the page's data. */
export function listSeries(data: PageData): readonly ListedSeries[] {
  return data.series.map((packed) => {
    const [exchange, dataType, symbol, , packedStates, rows, bytes] = packed;
    const name = `${data.exchanges[exchange]} ${data.dataTypes[dataType]} ${symbol}`;
    const states = unpackStates(packedStates);
    let section: SeriesSection | undefined;
    return {
      name,
      searchText: name.toLowerCase(),
      amounts: {
        missing: countDays(states, 'm'),
        degraded: countDays(states, 'd') + countDays(states, 'c'),
        size: bytes ?? 0,
        rows,
      },
      section() {
        section ??= createSeriesSection(name, packed, data);
        return section;
      },
    };
  });
}

/** Filters and sorts series. A series matches if its name contains all words of the filter. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: SeriesOrder,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
  return order === 'name' ? chosen : chosen.sort((a, b) => b.amounts[order] - a.amounts[order]);
}
