import {
  document,
  IntersectionObserver,
  type PageCanvas,
  type PageField,
  type PageNode,
  ResizeObserver,
  window,
} from '../../../page/browser/dom.js';
import { byId } from '../../../page/browser/elements.js';
import type { DayState } from '../../types.js';
import type { PageData } from '../data.js';
import { createChart, everyDay, runningTotal } from './charts.js';
import { drawCell, penOf, stateColors } from './drawing.js';
import { foldHoles } from './fold.js';
import { chooseSeries, type Order } from './list.js';
import { type ListedSeries, listSeries, type SeriesSection } from './series.js';

/** Sections that are put on the page at a time. */
const SECTIONS = 500;
/** What the padding and border of a section take of its width. */
const FRAME = 34;

const data = JSON.parse(byId('data').textContent ?? '') as PageData;
const all = listSeries(data);
const charts = [
  createChart(byId('by-day'), 'Size of the day’s data', everyDay(data.byDay), foldHoles(data.byDay[0])),
  createChart(
    byId('by-recording'),
    'Size of the folder',
    runningTotal(data.byRecording),
    foldHoles(data.byRecording[0]),
  ),
];

const list = byId('list');
const filter = byId('filter') as PageField;
const sort = byId('sort') as PageField;
const more = byId('more');
/** What is on the page, by the canvas of each. */
const shown = new Map<PageNode, SeriesSection>();
const near = new Set<SeriesSection>();
let limit = SECTIONS;
let width = list.clientWidth;

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const section = shown.get(target);
      if (section === undefined) continue;
      if (isIntersecting) near.add(section);
      else near.delete(section);
      if (isIntersecting) section.calendar.draw();
      else section.calendar.clear();
    }
  },
  { rootMargin: '400px' },
);

function place(series: ListedSeries): PageNode {
  const section = series.section();
  const { node, calendar } = section;
  if (!shown.has(calendar.node)) {
    shown.set(calendar.node, section);
    calendar.fit(width - FRAME);
    watcher.observe(calendar.node);
  }
  return node;
}

function showList(): void {
  const chosen = chooseSeries(all, filter.value, sort.value as Order);
  list.replaceChildren(...chosen.slice(0, limit).map(place));
  const count = Math.min(limit, chosen.length);
  byId('shown').textContent =
    chosen.length === all.length
      ? `${count} of ${all.length} series`
      : `${count} of ${chosen.length} matching series, ${all.length} in all`;
  more.hidden = chosen.length <= limit;
}

function drawLegend(): void {
  for (const node of document.querySelectorAll('canvas[data-state]')) {
    drawCell(
      penOf(node as PageCanvas, 12, 12),
      { x: 0, y: 0 },
      12,
      node.dataset['state'] as DayState,
      stateColors(),
    );
  }
}

new ResizeObserver(() => {
  if (list.clientWidth === width) return;
  width = list.clientWidth;
  for (const { calendar } of shown.values()) calendar.fit(width - FRAME);
}).observe(list);

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  drawLegend();
  for (const chart of charts) chart.redraw();
  for (const { calendar } of near) calendar.draw();
});

for (const field of [filter, sort]) {
  field.addEventListener('input', () => {
    limit = SECTIONS;
    showList();
  });
}
more.addEventListener('click', () => {
  limit += SECTIONS;
  showList();
});
drawLegend();
showList();
