import { elementById } from '../../../../base/page/browser/dom.js';
import { formatSize } from '../../../../base/units.js';
import type { ByteChart, ChartData, PageData } from '../page-data.js';
import { addDaysBetween, type Chart, createChart } from './charts.js';
import { foldHoles } from './fold.js';

interface ByteChartKind {
  readonly title: string;
  readonly prepare: (data: ChartData) => ChartData;
}

const KINDS: Readonly<Record<ByteChart, ByteChartKind>> = {
  'by-day': { title: 'Size of the day’s data', prepare: fillMissingDays },
  'by-recording': { title: 'Size of the folder', prepare: sumUpToEachDay },
};

/** Creates the charts of bytes that the page has. */
export function createByteCharts(charts: PageData['charts']): readonly Chart[] {
  return (Object.entries(charts) as [ByteChart, ChartData][]).map(([id, data]) => {
    const { title, prepare } = KINDS[id];
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
