import { formatSize } from '../../../base/units.js';
import { type Day, formatDay } from '../../../dataset/day.js';
import { type DrawnChart, type PageNode, ResizeObserver, uPlot } from '../../../page/browser/dom.js';
import { color } from '../../../page/browser/elements.js';
import type { ChartData } from '../data.js';

const CHART_HEIGHT = 220;
const SECONDS_A_DAY = 86_400;

/** Lengths that a date axis is parted into: days, months, years. */
const TICKS = [1, 2, 3, 5, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650].map((days) => days * SECONDS_A_DAY);
/** For each length: how a date is written, and what is added where a year begins. */
const DATES = [
  [365 * SECONDS_A_DAY, '{YYYY}', null, null, null, null, null, null, 1],
  [30 * SECONDS_A_DAY, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [SECONDS_A_DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
];

/** A chart that keeps the width of its place. */
export interface Chart {
  /** In the colours that the page has now. */
  redraw(): void;
}

/** Bytes over days. */
export function createChart(parent: PageNode, title: string, [days, bytes]: ChartData): Chart {
  let chart: DrawnChart | undefined;
  const sizeOf = () => ({ width: parent.clientWidth, height: CHART_HEIGHT });
  const redraw = (): void => {
    chart?.destroy();
    chart = new uPlot(optionsOf(title, sizeOf()), [days.map((day) => day * SECONDS_A_DAY), bytes], parent);
  };
  parent.setAttribute('role', 'img');
  parent.setAttribute('aria-label', describe(title, days, bytes));
  redraw();
  new ResizeObserver(() => chart?.setSize(sizeOf())).observe(parent);
  return { redraw };
}

/** With 0 for the days in between of which there is nothing. */
export function everyDay([days, bytes]: ChartData): ChartData {
  const sums = new Map(days.map((day, index) => [day, bytes[index] ?? 0]));
  const first = days[0] ?? 0;
  const all = Array.from({ length: (days.at(-1) ?? first) - first + 1 }, (_, index) => first + index);
  return [all, all.map((day) => sums.get(day) ?? 0)];
}

/** Each day's sum with all before it, from nothing the day before. */
export function runningTotal([days, bytes]: ChartData): ChartData {
  let sum = 0;
  const sums = bytes.map((each) => {
    sum += each;
    return sum;
  });
  return [
    [(days[0] ?? 0) - 1, ...days],
    [0, ...sums],
  ];
}

function optionsOf(title: string, size: { readonly width: number; readonly height: number }): object {
  const line = { stroke: color('line'), width: 1 };
  const axis = { stroke: color('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  const value = (_: unknown, bytes: number | null): string => (bytes === null ? '–' : formatSize(bytes));
  return {
    ...size,
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    series: [
      {
        label: 'Day',
        value: (_: unknown, seconds: number | null) => (seconds === null ? '–' : dayText(seconds)),
      },
      {
        label: title,
        value,
        stroke: color('present'),
        fill: color('fill'),
        width: 1.5,
        paths: uPlot.paths.stepped({ align: 1 }),
      },
    ],
    axes: [
      { ...axis, space: 70, incrs: TICKS, values: DATES },
      { ...axis, size: 72, values: (_: unknown, ticks: readonly number[]) => ticks.map(formatSize) },
    ],
    scales: { y: { range: (_: unknown, __: number, most: number) => [0, most > 0 ? most * 1.05 : 1] } },
    cursor: { drag: { x: true, y: false } },
  };
}

function describe(title: string, days: readonly number[], bytes: readonly number[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing`;
  const most = bytes.reduce((a, b) => Math.max(a, b), 0);
  return `${title}, from ${formatDay(first as Day)} to ${formatDay(last as Day)}: at most ${formatSize(most)}, ${formatSize(bytes.at(-1) ?? 0)} at the end`;
}

function dayText(seconds: number): string {
  return formatDay(Math.floor(seconds / SECONDS_A_DAY) as Day);
}
