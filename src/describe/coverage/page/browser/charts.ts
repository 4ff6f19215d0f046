import { createElement, elementById, styleColor } from '../../../../base/page/browser/elements.js';
import { formatDuration, formatSize } from '../../../../base/units.js';
import { type Day, formatDay } from '../../../../day-files/day.js';
import { formatMicroseconds } from '../format-value.js';
import type { ByteChart, ChartData, PageData, PageDay, PageDayContent } from '../page-data.js';
import { type FoldedAxis, foldHoles, type Hole, isLongHole } from './fold.js';

const CHART_HEIGHT = 220;
const SECONDS_PER_DAY = 86_400;

/** Tick distances of a date axis in seconds. */
const TICK_DISTANCES = [1, 2, 3, 5, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650].map(
  (days) => days * SECONDS_PER_DAY,
);
/** uPlot date formats for each minimum distance: the label, and its suffix at the start of a year. */
const DATE_FORMATS = [
  [365 * SECONDS_PER_DAY, '{YYYY}', null, null, null, null, null, null, 1],
  [30 * SECONDS_PER_DAY, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [SECONDS_PER_DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
];

type SteppedPaths = NonNullable<typeof uPlot.paths.stepped>;

/** Width of a label on a folded axis in pixels, with margins. */
const LABEL_WIDTH = 80;

/** A chart that follows the width of its parent element. */
interface Chart {
  /** Draws the chart with the current colours of the page. */
  redraw(): void;
}

/** Values of a chart, one per day; null for a day without a value. */
interface ChartLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Name of a colour variable of the style sheet. */
  readonly color: string;
}

interface ChartContent {
  readonly title: string;
  /** Ascending. */
  readonly days: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
  /** Distances between the labels of values; decimal ones by default. */
  readonly distances?: readonly number[] | undefined;
  /** Axis of the days with data. */
  readonly fold: FoldedAxis;
}

/** Creates a chart of values over days. */
function createChart(parent: HTMLElement, content: ChartContent): Chart {
  const { days, lines, fold } = content;
  let chart: uPlot | undefined;
  const container = createElement('div');
  parent.append(container, ...fold.holes.map((hole) => createElement('p', 'soft', describeHole(hole))));
  const readSize = () => ({ width: container.clientWidth, height: CHART_HEIGHT });
  const positions = days.map((day) => fold.position(day) * SECONDS_PER_DAY);
  const redraw = (): void => {
    chart?.destroy();
    chart = new uPlot(
      createOptions(content, readSize()),
      [positions, ...lines.map(({ values }) => values as (number | null)[])],
      container,
    );
  };
  parent.setAttribute('role', 'img');
  parent.setAttribute('aria-label', [describe(content), ...fold.holes.map(describeHole)].join('; '));
  redraw();
  new ResizeObserver(() => chart?.setSize(readSize())).observe(container);
  return { redraw };
}

/** Adds the days between days with data; of a long hole only the first. */
function addDaysBetween(days: readonly number[]): readonly number[] {
  return days.flatMap((day, index) => {
    const between = (days[index + 1] ?? day + 1) - day - 1;
    const length = isLongHole(between, days.length) ? 2 : between + 1;
    return Array.from({ length }, (_, after) => day + after);
  });
}

function createOptions(
  { lines, format, distances, fold }: ChartContent,
  size: { readonly width: number; readonly height: number },
): uPlot.Options {
  const line = { stroke: styleColor('line'), width: 1 };
  const axis = { stroke: styleColor('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  return {
    ...size,
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    series: [
      {
        label: 'Day',
        value: (_: unknown, seconds: number | null) =>
          seconds === null ? '–' : formatDay(fold.dayAt(seconds / SECONDS_PER_DAY) as Day),
      },
      ...lines.map(({ label, color }) => ({
        label,
        value: (_: unknown, value: number | null): string => (value === null ? '–' : format(value)),
        stroke: styleColor(color),
        ...(lines.length === 1 && { fill: styleColor('fill') }),
        width: 1.5,
        paths: (uPlot.paths.stepped as SteppedPaths)({ align: 1 }),
      })),
    ],
    axes: [
      {
        ...axis,
        ...(fold.holes.length > 0
          ? createFoldedTicks(fold)
          : { space: 70, incrs: TICK_DISTANCES, values: DATE_FORMATS }),
      },
      {
        ...axis,
        size: 72,
        values: (_: unknown, ticks: readonly number[]) => ticks.map(format),
        ...(distances && { incrs: distances as number[] }),
      },
    ],
    scales: {
      y: {
        range: (_: unknown, min: number, max: number) => [Math.min(0, min), max > 0 ? max * 1.05 : 1],
      },
    },
    cursor: { drag: { x: true, y: false } },
    hooks: { drawClear: [(chart: uPlot) => drawHoles(chart, fold)] },
  };
}

function describe({ title, days, lines, format }: ChartContent): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing`;
  const ranges = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    const range = `at most ${format(known.reduce((a, b) => Math.max(a, b), 0))}, ${format(known.at(-1) ?? 0)} at the end`;
    return lines.length === 1 ? range : `${label} ${range}`;
  });
  return `${title}, from ${formatDay(first as Day)} to ${formatDay(last as Day)}: ${ranges.join('; ')}`;
}

/** Labels of a folded axis: the first day of each part, and as many more as fit. */
function createFoldedTicks(fold: FoldedAxis): Pick<uPlot.Axis, 'splits' | 'values'> {
  return {
    splits: (chart: uPlot, _: number, from: number, to: number): number[] => {
      const labels = Math.max(1, Math.floor(chart.width / LABEL_WIDTH));
      const step = Math.ceil((to - from) / SECONDS_PER_DAY / labels);
      const ticks = fold.ticks(from / SECONDS_PER_DAY, to / SECONDS_PER_DAY, Math.max(1, step));
      return ticks.map((position) => position * SECONDS_PER_DAY);
    },
    values: (_: unknown, ticks: readonly number[]): string[] =>
      ticks.map((seconds) => formatDay(fold.dayAt(seconds / SECONDS_PER_DAY) as Day).replace('-', '\n')),
  };
}

function drawHoles({ ctx, bbox, valToPos }: uPlot, { holes }: FoldedAxis): void {
  ctx.fillStyle = styleColor('line');
  for (const { start, end } of holes) {
    const [left, right] = [start, end].map((position) => {
      const x = valToPos(position * SECONDS_PER_DAY, 'x', true);
      return Math.max(bbox.left, Math.min(bbox.left + bbox.width, x));
    });
    if (left !== undefined && right !== undefined) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
}

function describeHole({ first, last }: Hole): string {
  const days = (last - first + 1).toLocaleString('en');
  return `Grey: ${days} days with nothing, ${formatDay(first as Day)} to ${formatDay(last as Day)}, drawn shorter`;
}

interface SeriesCharts {
  readonly node: HTMLElement;
  redraw(): void;
}

interface SeriesChartKind {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly distances?: readonly number[];
  /** The lines, with the value that each has for a file; null if the file has none. */
  readonly lines: readonly {
    readonly label: string;
    readonly color: string;
    readonly read: (content: PageDayContent) => number | null;
  }[];
}

/** Distances of labels in seconds, for periods up to a day. */
const PERIOD_DISTANCES = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200];
/** Distances of labels in microseconds. */
const LATENCY_DISTANCES = [
  ...[1, 10, 100, 1000, 10_000, 100_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...PERIOD_DISTANCES.filter((seconds) => seconds >= 1).map((seconds) => 1e6 * seconds),
];

const formatSeconds = (seconds: number): string => formatDuration(seconds * 1000);

/** Reads the seconds of a check; 0 if it counted nothing. */
const readSeconds =
  (check: string) =>
  ({ findings }: PageDayContent): number =>
    findings.find((finding) => finding.check === check)?.seconds ?? 0;

const KINDS: readonly SeriesChartKind[] = [
  {
    title: 'Latency',
    format: formatMicroseconds,
    distances: LATENCY_DISTANCES,
    lines: [
      { label: 'p50', color: 'present', read: ({ latency }) => latency?.p50 ?? null },
      { label: 'p99', color: 'degraded', read: ({ latency }) => latency?.p99 ?? null },
    ],
  },
  {
    title: 'Gaps',
    format: formatSeconds,
    distances: PERIOD_DISTANCES,
    lines: [{ label: 'Gaps', color: 'present', read: readSeconds('gap') }],
  },
  {
    title: 'Crossed time',
    format: formatSeconds,
    distances: PERIOD_DISTANCES,
    lines: [{ label: 'Crossed time', color: 'present', read: readSeconds('crossed') }],
  },
];

/** Charts of a series by day, created when they are first opened; undefined with fewer than two files. */
export function createSeriesCharts(days: ReadonlyMap<Day, PageDay>): SeriesCharts | undefined {
  const contents = new Map([...days].flatMap(([day, { content }]) => (content ? [[day, content]] : [])));
  if (contents.size < 2) return undefined;
  const node = createElement(
    'details',
    '',
    createElement('summary', '', 'Latency, gaps and crossed time by day'),
  );
  const charts: Chart[] = [];
  node.addEventListener('toggle', () => {
    if (charts.length === 0) charts.push(...KINDS.flatMap((kind) => addChart(node, kind, contents)));
  });
  return {
    node,
    redraw() {
      for (const chart of charts) chart.redraw();
    },
  };
}

/** Adds a chart, unless all its values are 0. */
function addChart(
  parent: HTMLElement,
  { title, format, distances, lines }: SeriesChartKind,
  contents: ReadonlyMap<Day, PageDayContent>,
): readonly Chart[] {
  const daysWithFile = [...contents.keys()].sort((a, b) => a - b);
  const days = addDaysBetween(daysWithFile);
  const drawn = lines.map(({ label, color, read }) => ({
    label,
    color,
    values: days.map((day) => {
      const content = contents.get(day as Day);
      return content === undefined ? null : read(content);
    }),
  }));
  if (drawn.every(({ values }) => values.every((value) => !value))) return [];
  const container = createElement('div', 'chart');
  parent.append(createElement('figure', '', createElement('figcaption', '', title), container));
  return [
    createChart(container, { title, days, lines: drawn, format, distances, fold: foldHoles(daysWithFile) }),
  ];
}

interface ByteChartKind {
  readonly title: string;
  readonly prepare: (data: ChartData) => ChartData;
}

const BYTE_CHART_KINDS: Readonly<Record<ByteChart, ByteChartKind>> = {
  'by-day': { title: 'Size of the day’s data', prepare: fillMissingDays },
  'by-recording': { title: 'Size of the folder', prepare: sumUpToEachDay },
};

/** Creates the charts of bytes that the page has. */
export function createByteCharts(charts: PageData['charts']): readonly Chart[] {
  return (Object.entries(charts) as [ByteChart, ChartData][]).map(([id, data]) => {
    const { title, prepare } = BYTE_CHART_KINDS[id];
    const [days, values] = prepare(data);
    return createChart(elementById(id), {
      title,
      days,
      lines: [{ label: title, values, color: 'present' }],
      format: formatSize,
      fold: foldHoles(data[0]),
    });
  });
}

/** Adds a 0 for each day without data. */
function fillMissingDays([days, bytes]: ChartData): ChartData {
  const sums = new Map(days.map((day, index) => [day, bytes[index] ?? 0]));
  const allDays = addDaysBetween(days);
  return [allDays, allDays.map((day) => sums.get(day) ?? 0)];
}

/** The running total of the days, starting with 0 on the day before the first one. */
function sumUpToEachDay([days, bytes]: ChartData): ChartData {
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
