import { type DrawnChart, ResizeObserver, uPlot, window } from '../../../../page/browser/dom.js';
import { elementById, styleColor } from '../../../../page/browser/elements.js';
import { decimalsOf } from './numbers.js';
import type { PriceColumns } from './price-columns.js';

const HEIGHT = 260;

/** The price over local time: a line, and from the lowest to the highest of each column an area. */
export interface PriceChart {
  draw(prices: PriceColumns): void;
}

export function createPriceChart(): PriceChart {
  const parent = elementById('price');
  const sizeOf = () => ({ width: parent.clientWidth, height: HEIGHT });
  let data: readonly (readonly number[])[] = [[], [], [], []];
  let chart: DrawnChart | undefined;
  const create = (): void => {
    chart?.destroy();
    chart = new uPlot(optionsOf(sizeOf()), data, parent);
  };
  parent.setAttribute('role', 'img');
  parent.setAttribute('aria-label', 'Price: nothing yet');
  create();
  new ResizeObserver(() => chart?.setSize(sizeOf())).observe(parent);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', create);
  return {
    draw(prices) {
      data = [prices.seconds(), prices.highs, prices.lows, prices.lasts];
      chart?.setData(data);
      parent.setAttribute('aria-label', describe(prices));
    },
  };
}

function optionsOf(size: { readonly width: number; readonly height: number }): object {
  const line = { stroke: styleColor('line'), width: 1 };
  const axis = { stroke: styleColor('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  const price = (_: unknown, value: number | null): string => (value === null ? '–' : text(value));
  // A price holds until the next one.
  const held = { points: { show: false }, value: price, paths: uPlot.paths.stepped({ align: 1 }) };
  const edge = { ...held, stroke: 'transparent', width: 0 };
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
      { label: 'Price', ...held, stroke: styleColor('present'), width: 1.5 },
    ],
    bands: [{ series: [1, 2], fill: styleColor('fill') }],
    axes: [
      {
        ...axis,
        space: 80,
        values: (_: unknown, ticks: readonly number[], __: number, ___: number, step: number) =>
          ticks.map((seconds) => clockText(seconds, step)),
      },
      {
        ...axis,
        size: 76,
        values: (_: unknown, ticks: readonly number[]) =>
          ticks.map((tick) => tick.toFixed(decimalsOf(ticks))),
      },
    ],
    cursor: { drag: { x: true, y: false } },
  };
}

/** The time of day; with milliseconds where ticks are less than a second apart, with the day at midnight. */
function clockText(seconds: number, step: number): string {
  const iso = new Date(Math.round(seconds * 1000)).toISOString();
  if (iso.endsWith('T00:00:00.000Z') && step >= 3600) return iso.slice(5, 10);
  if (step < 1) return iso.slice(11, 23);
  return step < 60 ? iso.slice(11, 19) : iso.slice(11, 16);
}

function text(price: number): string {
  return price.toFixed(decimalsOf([price]));
}

function describe({ lasts, highs, lows }: PriceColumns): string {
  const last = lasts.at(-1);
  if (last === undefined) return 'Price: nothing yet';
  const [least, most] = [lows.reduce((a, b) => Math.min(a, b)), highs.reduce((a, b) => Math.max(a, b))];
  return `Price: ${text(last)}, so far from ${text(least)} to ${text(most)}`;
}
