import { createElement } from '../../../../base/page/browser/elements.js';
import { US_PER_DAY } from '../../../../day-files/day.js';
import type { LatencySummary } from '../../../../events/audited-day.js';
import { formatMicroseconds } from '../format-value.js';
import type { DayPeriod, PageDayContent, PageFinding } from '../page-data.js';

const HOURS = [0, 6, 12, 18, 24];
const MAX_TICKS = 5;

/** What names of checks mean. */
export type ReasonMeanings = ReadonlyMap<string, string>;

/** The name of a check, which shows its meaning on hover. */
export function createReasonName(name: string, meanings: ReasonMeanings): HTMLElement | string {
  const meaning = meanings.get(name);
  if (meaning === undefined) return name;
  const node = createElement('abbr', '', name);
  node.setAttribute('title', meaning);
  return node;
}

/** Draws when a day has rows and gaps, and where its checks counted something, on an axis of the day. */
export function createDayAxis(
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
export function createLatencyAxis(latency: LatencySummary): HTMLElement {
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
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A part of a lane, from 0 to 1 of the axis; a narrow one is drawn as a line. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Class that gives its colour and height. */
  readonly kind: 'present' | 'degraded' | 'noted';
}

export interface Lane {
  readonly name: HTMLElement | string;
  readonly marks: readonly Mark[];
}

/** Creates lanes of marks above a common axis. @param description text for screen readers. */
export function createLanes(
  description: string,
  ticks: readonly Tick[],
  lanes: readonly Lane[],
): HTMLElement {
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
