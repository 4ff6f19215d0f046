import { elementById } from '../../../../base/page/browser/elements.js';
import type { PageData, PageState } from '../page-data.js';
import { drawCell, preparePen, readStateColors } from './calendar.js';
import { createByteCharts } from './charts.js';
import {
  chooseSeries,
  type ListedSeries,
  listSeries,
  type SeriesOrder,
  type SeriesSection,
} from './series-section.js';

/** Number of sections added to the page at a time. */
const SECTIONS_PER_STEP = 500;
/** Width of a section's padding and border in pixels. */
const FRAME_WIDTH = 34;

const data = JSON.parse(elementById('data').textContent ?? '') as PageData;
const allSeries = listSeries(data);
const charts = createByteCharts(data.charts);

const list = elementById('list');
const filter = elementById<HTMLInputElement>('filter');
const sort = elementById<HTMLSelectElement>('sort');
const moreButton = elementById('more');
/** Sections of the page by their canvas. */
const shown = new Map<Element, SeriesSection>();
const sectionsNearWindow = new Set<SeriesSection>();
let limit = SECTIONS_PER_STEP;
let width = list.clientWidth;

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const section = shown.get(target);
      if (section === undefined) continue;
      if (isIntersecting) sectionsNearWindow.add(section);
      else sectionsNearWindow.delete(section);
      if (isIntersecting) section.calendar.draw();
      else section.calendar.clear();
    }
  },
  { rootMargin: '400px' },
);

function placeSection(series: ListedSeries): HTMLElement {
  const section = series.section();
  const { node, calendar } = section;
  if (!shown.has(calendar.node)) {
    shown.set(calendar.node, section);
    calendar.fit(width - FRAME_WIDTH);
    watcher.observe(calendar.node);
  }
  return node;
}

function showList(): void {
  const chosen = chooseSeries(allSeries, filter.value, sort.value as SeriesOrder);
  list.replaceChildren(...chosen.slice(0, limit).map(placeSection));
  const count = Math.min(limit, chosen.length);
  elementById('shown').textContent =
    chosen.length === allSeries.length
      ? `${count} of ${allSeries.length} series`
      : `${count} of ${chosen.length} matching series, ${allSeries.length} in all`;
  moreButton.hidden = chosen.length <= limit;
}

function drawLegend(): void {
  const colors = readStateColors();
  for (const node of document.querySelectorAll<HTMLCanvasElement>('canvas[data-state]')) {
    drawCell(preparePen(node, 12, 12), { x: 0, y: 0 }, 12, node.dataset['state'] as PageState, colors);
  }
}

new ResizeObserver(() => {
  if (list.clientWidth === width) return;
  width = list.clientWidth;
  for (const { calendar } of shown.values()) calendar.fit(width - FRAME_WIDTH);
}).observe(list);

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  drawLegend();
  for (const chart of charts) chart.redraw();
  for (const { calendar } of sectionsNearWindow) calendar.draw();
  for (const section of shown.values()) section.redrawCharts();
});

for (const field of [filter, sort]) {
  field.addEventListener('input', () => {
    limit = SECTIONS_PER_STEP;
    showList();
  });
}
moreButton.addEventListener('click', () => {
  limit += SECTIONS_PER_STEP;
  showList();
});
drawLegend();
showList();
