import { createElement } from '../../../../base/page/browser/elements.js';
import { formatDuration, plural } from '../../../../base/units.js';
import { addDays, type Day, formatDay, US_PER_DAY } from '../../../../day-files/day.js';
import type { LatencySummary } from '../../../../events/audited-day.js';
import { type StateSpan, splitIntoSpans } from '../../coverage-facts.js';
import { formatMicroseconds, formatNumber, formatTimeOfDay } from '../format-value.js';
import type { DayPeriod, PageDay, PageDayContent, PageFinding, PageState, StateWords } from '../page-data.js';

/** The details of one day, below the calendar of its series. */
interface DayPanel {
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

function createButton(text: string, onClick: () => void): HTMLElement {
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

interface DayListContent {
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

const HOURS = [0, 6, 12, 18, 24];
const MAX_TICKS = 5;

/** What names of checks mean. */
type ReasonMeanings = ReadonlyMap<string, string>;

/** The name of a check, which shows its meaning on hover. */
export function createReasonName(name: string, meanings: ReasonMeanings): HTMLElement | string {
  const meaning = meanings.get(name);
  if (meaning === undefined) return name;
  const node = createElement('abbr', '', name);
  node.setAttribute('title', meaning);
  return node;
}

/** Draws when a day has rows and gaps, and where its checks counted something, on an axis of the day. */
function createDayAxis(
  { period, gaps, findings }: PageDayContent,
  reasons: readonly string[],
  meanings: ReasonMeanings,
): HTMLElement {
  const rows = period ? listPeriodsBetween(period, gaps) : [];
  const lanes = [
    { name: 'rows', marks: rows.map((each) => toMark(each, 'present')) },
    ...findings.map((finding) => {
      const periods = finding.check === 'gap' && gaps.length > 0 ? gaps : listPeriods(finding);
      const kind = reasons.includes(finding.check) ? 'degraded' : 'noted';
      return {
        name: createReasonName(finding.check, meanings),
        marks: periods.map((each) => toMark(each, kind)),
      };
    }),
  ];
  const ticks = HOURS.map((hour) => ({ at: hour / 24, label: `${String(hour).padStart(2, '0')}:00` }));
  return createLanes('The day from 00:00 to 24:00 UTC', ticks, lanes);
}

/** The longest period of a finding, else the moment of its first row. */
function listPeriods({ longest, time }: PageFinding): readonly DayPeriod[] {
  if (longest !== undefined) return [longest];
  return time === undefined ? [] : [{ start: time, end: time }];
}

/** The parts of a period that are not in gaps, which are in order. */
function listPeriodsBetween({ start, end }: DayPeriod, gaps: readonly DayPeriod[]): readonly DayPeriod[] {
  const starts = [start, ...gaps.map((gap) => gap.end)];
  const ends = [...gaps.map((gap) => gap.start), end];
  return starts
    .map((from, index) => ({ start: Math.max(start, from), end: Math.min(end, ends[index] ?? end) }))
    .filter((period) => period.end >= period.start);
}

function toMark({ start, end }: DayPeriod, kind: Mark['kind']): Mark {
  return { start: start / US_PER_DAY, end: end / US_PER_DAY, kind };
}

/** Draws the percentiles of latency on a logarithmic axis; as text if none is positive. */
function createLatencyAxis(latency: LatencySummary): HTMLElement {
  const { p50, p99, max } = latency;
  const values = Object.entries({ p50, p99, max }).map(
    ([name, microseconds]) =>
      ({ name: `${name} ${formatMicroseconds(microseconds)}`, microseconds }) as const,
  );
  const description = values.map(({ name }) => name).join(', ');
  const positive = [p50, p99, max].filter((microseconds) => microseconds > 0);
  if (positive.length === 0) return createElement('p', '', description);
  const from = Math.floor(Math.log10(Math.min(...positive)));
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...positive))) - from);
  const step = Math.ceil((decades + 1) / MAX_TICKS);
  const ticks = Array.from({ length: Math.floor(decades / step) + 1 }, (_, index) => ({
    at: (index * step) / decades,
    label: formatPower(from + index * step),
  }));
  const toMarks = (microseconds: number): readonly Mark[] =>
    microseconds > 0 ? [{ start: 0, end: (Math.log10(microseconds) - from) / decades, kind: 'present' }] : [];
  const lanes = values.map(({ name, microseconds }) => ({ name, marks: toMarks(microseconds) }));
  return createLanes(`Latency: ${description}`, ticks, lanes);
}

/** Formats a power of ten of microseconds. */
function formatPower(power: number): string {
  const unit = Math.min(2, Math.floor(power / 3));
  return `${10 ** (power - 3 * unit)} ${['µs', 'ms', 's'][unit]}`;
}

/** A labelled position of an axis, from 0 to 1. */
interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A part of a lane, from 0 to 1 of the axis; a narrow one is drawn as a line. */
interface Mark {
  readonly start: number;
  readonly end: number;
  /** Class that gives its colour and height. */
  readonly kind: 'present' | 'degraded' | 'noted';
}

interface Lane {
  readonly name: HTMLElement | string;
  readonly marks: readonly Mark[];
}

/** Creates lanes of marks above a common axis. @param description text for screen readers. */
function createLanes(description: string, ticks: readonly Tick[], lanes: readonly Lane[]): HTMLElement {
  const node = createElement('div', 'lanes', ...lanes.map(createLane), createTicks(ticks));
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', description);
  return node;
}

function createLane({ name, marks }: Lane): HTMLElement {
  const track = createElement('div', 'track');
  for (const { start, end, kind } of marks) {
    const mark = createElement('div', `mark ${kind}`);
    mark.style.left = toPercent(start);
    mark.style.width = toPercent(clamp(end) - clamp(start));
    track.append(mark);
  }
  return createElement('div', 'lane', createElement('span', 'lane-name', name), track);
}

function createTicks(ticks: readonly Tick[]): HTMLElement {
  const track = createElement('div', 'ticks');
  for (const { at, label } of ticks) {
    const tick = createElement('span', 'tick', label);
    tick.style.left = toPercent(at);
    track.append(tick);
  }
  return createElement('div', 'lane', createElement('span', 'lane-name'), track);
}

function toPercent(share: number): string {
  return `${(100 * clamp(share)).toFixed(3)}%`;
}

function clamp(share: number): number {
  return Math.max(0, Math.min(1, share));
}
