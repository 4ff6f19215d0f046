import { createElement } from '../../../../base/page/browser/elements.js';
import { formatDuration, plural } from '../../../../base/units.js';
import { addDays, type Day, formatDay } from '../../../../day-files/day.js';
import { type StateSpan, splitIntoSpans } from '../../state-spans.js';
import { formatMicroseconds, formatNumber, formatTimeOfDay } from '../format-value.js';
import type { PageDay, PageDayContent, PageFinding, PageState, StateWords } from '../page-data.js';
import { createDayAxis, createLatencyAxis, createReasonName, type ReasonMeanings } from './day-charts.js';

/** The details of one day, below the calendar of its series. */
export interface DayPanel {
  readonly node: HTMLElement;
  /** @param title date and condition. @param day undefined for a day that was not audited. */
  show(title: string, day: PageDay | undefined): void;
  /** Moves the focus to the panel, and scrolls there. */
  focus(): void;
}

/** Creates a hidden panel. @param onStep called to show the day before (-1) or after (1). */
export function createDayPanel(
  onStep: (step: -1 | 1) => void,
  onClose: () => void,
  meanings: ReasonMeanings,
): DayPanel {
  const heading = createElement('h4');
  const body = createElement('div');
  const node = createElement(
    'section',
    'day',
    heading,
    createElement(
      'div',
      'day-buttons',
      createButton('Previous day', () => onStep(-1)),
      createButton('Next day', () => onStep(1)),
      createButton('Close', onClose),
    ),
    body,
  );
  node.hidden = true;
  heading.setAttribute('aria-live', 'polite');
  heading.tabIndex = -1;
  return {
    node,
    show(title, day) {
      node.hidden = false;
      heading.textContent = title;
      body.replaceChildren(...(day ? describeDay(day, meanings) : []));
    },
    focus: () => heading.focus(),
  };
}

export function createButton(text: string, onClick: () => void): HTMLElement {
  const button = createElement('button', '', text);
  button.setAttribute('type', 'button');
  button.addEventListener('click', onClick);
  return button;
}

function describeDay({ reasons, incidents, content }: PageDay, meanings: ReasonMeanings): HTMLElement[] {
  const nodes: HTMLElement[] = incidents.map((incident) => createElement('p', '', `Incident: ${incident}`));
  if (content === undefined) {
    const hint = 'tickhaul audit --html writes a page with the details of each day.';
    return reasons.length === 0 ? nodes : [...nodes, createElement('p', 'soft', hint)];
  }
  const { period, latency, findings } = content;
  nodes.push(createElement('p', '', describeContent(content)));
  if (period !== undefined) nodes.push(createDayAxis(content, reasons, meanings));
  if (findings.length > 0) {
    const caption = 'The axis shows all gaps, and of each other check its longest period or first row.';
    nodes.push(createElement('p', 'soft', caption), createFindingsTable(content, reasons, meanings));
  }
  if (latency !== undefined) nodes.push(createElement('h5', '', 'Latency'), createLatencyAxis(latency));
  return nodes;
}

function describeContent({ rows, symbols, period }: PageDayContent): string {
  const count = plural(rows, 'row', formatNumber(rows));
  if (period === undefined) return count;
  const of = symbols === 1 ? '' : ` of ${formatNumber(symbols)} symbols`;
  return `${count}${of}, from ${formatTimeOfDay(period.start)} to ${formatTimeOfDay(period.end)} UTC`;
}

/** A table of the checks that counted something. */
function createFindingsTable(
  { symbols, findings }: PageDayContent,
  reasons: readonly string[],
  meanings: ReasonMeanings,
): HTMLElement {
  const titles = ['check', 'count', 'extent', 'first at'].map((title) => createElement('th', '', title));
  const rows = findings.map((finding) => {
    const { check, count } = finding;
    const note = reasons.includes(check) ? '' : ' (does not degrade)';
    const name = createElement('td', '', createReasonName(check, meanings), note);
    const texts = [formatNumber(count), describeExtent(finding), describePlace(finding, symbols > 1)];
    return createElement('tr', '', name, ...texts.map((text) => createElement('td', '', text)));
  });
  const table = createElement(
    'table',
    '',
    createElement('thead', '', createElement('tr', '', ...titles)),
    createElement('tbody', '', ...rows),
  );
  return createElement('div', 'scrolled', table);
}

function describeExtent({ seconds, longest, maxMicroseconds }: PageFinding): string {
  if (maxMicroseconds !== undefined) return `up to ${formatMicroseconds(maxMicroseconds)}`;
  if (seconds === undefined) return '';
  const total = formatDuration(1000 * seconds);
  if (longest === undefined) return total;
  const { start, end } = longest;
  return `${total}, longest ${formatMicroseconds(end - start)} from ${formatTimeOfDay(start)}`;
}

function describePlace({ row, time, symbol }: PageFinding, hasSymbols: boolean): string {
  const texts = [
    ...(row === undefined ? [] : [`row ${formatNumber(row)}`]),
    ...(time === undefined ? [] : [formatTimeOfDay(time)]),
    ...(hasSymbols && symbol !== undefined ? [symbol] : []),
  ];
  return texts.join(', ');
}

export interface DayListContent {
  readonly title: string;
  readonly first: Day;
  readonly states: string;
  /** The states to list. */
  readonly words: readonly StateWords[];
  /** Why a day is degraded or corrupt. */
  readonly explain: (day: Day) => readonly (HTMLElement | string)[];
  readonly onSelect: (day: Day) => void;
}

/** States whose days are listed one by one, and those whose days are listed as ranges. */
const EXPLAINED: readonly PageState[] = ['d', 'c'];
const IN_RANGES: readonly PageState[] = ['m', 'e', 'n'];

/** A collapsible list of days, filled in when opened. */
export function createDayList({
  title,
  first,
  states,
  words,
  explain,
  onSelect,
}: DayListContent): HTMLElement {
  const details = createElement('details', '', createElement('summary', '', title));
  const runs = (state: PageState): readonly StateSpan[] =>
    splitIntoSpans(states).filter((run) => run.state === state);
  const createItem = (word: string, day: Day): HTMLElement => {
    const button = createButton(formatDay(day), () => onSelect(day));
    return createElement('li', '', button, ` ${word}`, ...explain(day));
  };
  details.addEventListener('toggle', () => {
    if (details.querySelector('p, ul') !== null) return;
    const select = (order: readonly PageState[]): readonly StateWords[] =>
      order.flatMap((state) => words.filter((each) => each.state === state && states.includes(state)));
    const items = select(EXPLAINED).flatMap(({ state, word }) =>
      listDays(first, runs(state)).map((day) => createItem(word, day)),
    );
    const texts = select(IN_RANGES).map(({ state, word }) => {
      const days = runs(state).map((run) => formatRun(first, run));
      return `${word.charAt(0).toUpperCase()}${word.slice(1)}: ${days.join(', ')}.`;
    });
    if (items.length > 0) details.append(createElement('ul', '', ...items));
    if (texts.length > 0) details.append(createElement('p', '', texts.join(' ')));
  });
  return details;
}

function listDays(first: Day, runs: readonly StateSpan[]): readonly Day[] {
  return runs.flatMap(({ start, days }) => Array.from({ length: days }, (_, i) => addDays(first, start + i)));
}

function formatRun(first: Day, { start, days }: StateSpan): string {
  const from = formatDay(addDays(first, start));
  return days === 1 ? from : `${from} to ${formatDay(addDays(first, start + days - 1))}`;
}
