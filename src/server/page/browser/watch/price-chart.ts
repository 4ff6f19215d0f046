import { type DrawnChart, ResizeObserver, uPlot, window } from '../../../../base/page/browser/dom.js';
import { elementById, styleColor } from '../../../../base/page/browser/elements.js';
import { countDecimals } from './numbers.js';
import type { PriceColumns } from './price-columns.js';

const HEIGHT = 260;

/** Chart of the price over local time: a line, and an area between the lowest and highest price of each column. */
export interface PriceChart {
  draw(prices: PriceColumns): void;
}

export function createPriceChart(): PriceChart {
  const parent = elementById('price');
  const readSize = () => ({ width: parent.clientWidth, height: HEIGHT });
  let data: readonly (readonly number[])[] = [[], [], [], []];
  let chart: DrawnChart | undefined;
  const create = (): void => {
    chart?.destroy();
    chart = new uPlot(createOptions(readSize()), data, parent);
  };
  parent.setAttribute('role', 'img');
  parent.setAttribute('aria-label', 'Price: nothing yet');
  create();
  new ResizeObserver(() => chart?.setSize(readSize())).observe(parent);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', create);
  return {
    draw(prices) {
      data = [prices.seconds(), prices.highs, prices.lows, prices.lasts];
      chart?.setData(data);
      parent.setAttribute('aria-label', describe(prices));
    },
  };
}

function createOptions(size: { readonly width: number; readonly height: number }): object {
  const line = { stroke: styleColor('line'), width: 1 };
  const axis = { stroke: styleColor('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  const price = (_: unknown, value: number | null): string => (value === null ? '–' : formatPrice(value));
  // A price is valid until the next one.
  const stepped = { points: { show: false }, value: price, paths: uPlot.paths.stepped({ align: 1 }) };
  const edge = { ...stepped, stroke: 'transparent', width: 0 };
  return {
    ...size,
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    series: [
      {
        label: 'Local time',
        value: (_: unknown, seconds: number | null) =>
          seconds === null ? '–' : new Date(seconds * 1000).toISOString().slice(11, 23),
      },
      { label: 'High', ...edge },
      { label: 'Low', ...edge },
      { label: 'Price', ...stepped, stroke: styleColor('present'), width: 1.5 },
    ],
    bands: [{ series: [1, 2], fill: styleColor('fill') }],
    axes: [
      {
        ...axis,
        space: 80,
        values: (_: unknown, ticks: readonly number[], __: number, ___: number, step: number) =>
          ticks.map((seconds) => formatTick(seconds, step)),
      },
      {
        ...axis,
        size: 76,
        values: (_: unknown, ticks: readonly number[]) =>
          ticks.map((tick) => tick.toFixed(countDecimals(ticks))),
      },
    ],
    cursor: { drag: { x: true, y: false } },
  };
}

/** Formats a tick as time of day: with milliseconds if ticks are less than a second apart, as a day at midnight. */
function formatTick(seconds: number, step: number): string {
  const iso = new Date(Math.round(seconds * 1000)).toISOString();
  if (iso.endsWith('T00:00:00.000Z') && step >= 3600) return iso.slice(5, 10);
  if (step < 1) return iso.slice(11, 23);
  return step < 60 ? iso.slice(11, 19) : iso.slice(11, 16);
}

function formatPrice(price: number): string {
  return price.toFixed(countDecimals([price]));
}

function describe({ lasts, highs, lows }: PriceColumns): string {
  const last = lasts.at(-1);
  if (last === undefined) return 'Price: nothing yet';
  const [min, max] = [lows.reduce((a, b) => Math.min(a, b)), highs.reduce((a, b) => Math.max(a, b))];
  return `Price: ${formatPrice(last)}, so far from ${formatPrice(min)} to ${formatPrice(max)}`;
}
