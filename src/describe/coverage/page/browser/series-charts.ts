import { createElement, elementById } from '../../../../base/page/browser/elements.js';
import { formatDuration, formatSize } from '../../../../base/units.js';
import type { Day } from '../../../../day-files/day.js';
import { formatMicroseconds } from '../format-value.js';
import type { ByteChart, ChartData, PageData, PageDay, PageDayContent } from '../page-data.js';
import { addDaysBetween, type Chart, createChart } from './charts.js';
import { foldHoles } from './fold.js';

export interface SeriesCharts {
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
