import { formatSize } from '../../../base/units.js';
import { type Day, formatDay } from '../../../dataset/day.js';
import { type DrawnChart, type PageNode, ResizeObserver, uPlot } from '../../../page/browser/dom.js';
import { color, make } from '../../../page/browser/elements.js';
import type { ChartData } from '../data.js';
import { type FoldedAxis, type Hole, isLongHole } from './fold.js';

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

/** Pixels of a label on a folded axis, with room around it. */
const LABEL_WIDTH = 80;

/** A chart that keeps the width of its place. */
export interface Chart {
  /** In the colours that the page has now. */
  redraw(): void;
}

/** Bytes over days. @param fold of the days that have some. */
export function createChart(
  parent: PageNode,
  title: string,
  [days, bytes]: ChartData,
  fold: FoldedAxis,
): Chart {
  let chart: DrawnChart | undefined;
  const place = make('div');
  parent.append(place, ...fold.holes.map((hole) => make('p', 'soft', holeText(hole))));
  const sizeOf = () => ({ width: place.clientWidth, height: CHART_HEIGHT });
  const positions = days.map((day) => fold.position(day) * SECONDS_A_DAY);
  const redraw = (): void => {
    chart?.destroy();
    chart = new uPlot(optionsOf(title, sizeOf(), fold), [positions, bytes], place);
  };
  parent.setAttribute('role', 'img');
  parent.setAttribute('aria-label', [describe(title, days, bytes), ...fold.holes.map(holeText)].join('; '));
  redraw();
  new ResizeObserver(() => chart?.setSize(sizeOf())).observe(place);
  return { redraw };
}

/** With 0 for the days in between of which there is nothing; of a long hole, for the first alone. */
export function everyDay([days, bytes]: ChartData): ChartData {
  const sums = new Map(days.map((day, index) => [day, bytes[index] ?? 0]));
  const all = days.flatMap((day, index) => {
    const between = (days[index + 1] ?? day + 1) - day - 1;
    const length = isLongHole(between, days.length) ? 2 : between + 1;
    return Array.from({ length }, (_, after) => day + after);
  });
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

function optionsOf(
  title: string,
  size: { readonly width: number; readonly height: number },
  fold: FoldedAxis,
): object {
  const line = { stroke: color('line'), width: 1 };
  const axis = { stroke: color('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  const value = (_: unknown, bytes: number | null): string => (bytes === null ? '–' : formatSize(bytes));
  return {
    ...size,
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    series: [
      {
        label: 'Day',
        value: (_: unknown, seconds: number | null) =>
          seconds === null ? '–' : formatDay(fold.dayAt(seconds / SECONDS_A_DAY) as Day),
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
      {
        ...axis,
        ...(fold.holes.length > 0 ? foldedDates(fold) : { space: 70, incrs: TICKS, values: DATES }),
      },
      { ...axis, size: 72, values: (_: unknown, ticks: readonly number[]) => ticks.map(formatSize) },
    ],
    scales: { y: { range: (_: unknown, __: number, most: number) => [0, most > 0 ? most * 1.05 : 1] } },
    cursor: { drag: { x: true, y: false } },
    hooks: { drawClear: [(chart: DrawnChart) => drawHoles(chart, fold)] },
  };
}

function describe(title: string, days: readonly number[], bytes: readonly number[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing`;
  const most = bytes.reduce((a, b) => Math.max(a, b), 0);
  return `${title}, from ${formatDay(first as Day)} to ${formatDay(last as Day)}: at most ${formatSize(most)}, ${formatSize(bytes.at(-1) ?? 0)} at the end`;
}

/** Labels of a folded axis: the first day of each part, and as many more as have room. */
function foldedDates(fold: FoldedAxis): object {
  return {
    splits: (chart: DrawnChart, _: number, from: number, to: number): readonly number[] => {
      const labels = Math.max(1, Math.floor(chart.width / LABEL_WIDTH));
      const step = Math.ceil((to - from) / SECONDS_A_DAY / labels);
      const ticks = fold.ticks(from / SECONDS_A_DAY, to / SECONDS_A_DAY, Math.max(1, step));
      return ticks.map((position) => position * SECONDS_A_DAY);
    },
    values: (_: unknown, ticks: readonly number[]): readonly string[] =>
      ticks.map((seconds) => formatDay(fold.dayAt(seconds / SECONDS_A_DAY) as Day).replace('-', '\n')),
  };
}

function drawHoles({ ctx, bbox, valToPos }: DrawnChart, { holes }: FoldedAxis): void {
  ctx.fillStyle = color('line');
  for (const { start, end } of holes) {
    const [left, right] = [start, end].map((position) => {
      const x = valToPos(position * SECONDS_A_DAY, 'x', true);
      return Math.max(bbox.left, Math.min(bbox.left + bbox.width, x));
    });
    if (left !== undefined && right !== undefined) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
}

function holeText({ first, last }: Hole): string {
  const days = (last - first + 1).toLocaleString('en');
  return `Grey: ${days} days with nothing, ${formatDay(first as Day)} to ${formatDay(last as Day)}, drawn shorter`;
}
