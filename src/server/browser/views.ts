import { createElement, elementById, styleColor } from '../../base/page/browser/elements.js';
import {
  countDecimals,
  formatFixed,
  formatShort,
  type Level,
  MAX_TRADES,
  type PriceColumns,
  type TickerField,
  type ViewData,
  type ViewedBook,
  type ViewedTrade,
} from './view-data.js';

const LEVELS = 10;

/** Draws book, trades and ticker of a replay into rows that are created once. */
export interface Panels {
  draw(data: ViewData): void;
}

export function createPanels(): Panels {
  // Asks are listed from worst to best, so that the best ask is next to the best bid.
  const asks = createRows(elementById('asks'), LEVELS, createLevelRow).reverse();
  const bids = createRows(elementById('bids'), LEVELS, createLevelRow);
  const trades = createRows(elementById('trades'), MAX_TRADES, createTradeRow);
  const fields = [...elementById('ticker').querySelectorAll('dd')];
  return {
    draw({ book, trades: latest, ticker }) {
      drawBook(asks, bids, book);
      const decimals = {
        price: countDecimals(latest.map(({ price }) => price)),
        amount: countDecimals(latest.map(({ amount }) => amount)),
      };
      for (const [index, row] of trades.entries()) row(latest[index], decimals);
      for (const node of fields) {
        setText(node, formatShort(ticker?.[node.dataset['field'] as TickerField]));
      }
    },
  };
}

function createRows<T>(parent: HTMLElement, count: number, row: (parent: HTMLElement) => T): T[] {
  return Array.from({ length: count }, () => row(parent));
}

type DrawLevel = (level: Level | undefined, maxAmount: number, decimals: Decimals) => void;

interface Decimals {
  readonly price: number;
  readonly amount: number;
}

function drawBook(
  asks: readonly DrawLevel[],
  bids: readonly DrawLevel[],
  book: ViewedBook | undefined,
): void {
  const levels = [...(book?.asks ?? []), ...(book?.bids ?? [])];
  const decimals = {
    price: countDecimals(levels.map(({ price }) => price)),
    amount: countDecimals(levels.map(({ amount }) => amount)),
  };
  const maxAmount = levels.reduce((sum, { amount = 0 }) => Math.max(sum, amount), 0);
  for (const [index, row] of asks.entries()) row(book?.asks[index], maxAmount, decimals);
  for (const [index, row] of bids.entries()) row(book?.bids[index], maxAmount, decimals);
  const [ask, bid] = [book?.asks[0]?.price, book?.bids[0]?.price];
  const spread = ask === undefined || bid === undefined ? undefined : ask - bid;
  setText(elementById('spread'), `spread ${formatFixed(spread, decimals.price)}`);
}

function createLevelRow(parent: HTMLElement): DrawLevel {
  const price = createElement('td');
  const bar = createElement('span', 'bar');
  const amount = createElement('span', 'text');
  parent.append(createElement('tr', '', price, createElement('td', '', bar, amount)));
  return (level, maxAmount, decimals) => {
    const exists = level?.price !== undefined;
    setText(price, exists ? formatFixed(level.price, decimals.price) : '');
    setText(amount, exists ? formatFixed(level.amount, decimals.amount) : '');
    bar.style.width = `${maxAmount > 0 ? (100 * (level?.amount ?? 0)) / maxAmount : 0}%`;
  };
}

function createTradeRow(parent: HTMLElement): (trade: ViewedTrade | undefined, decimals: Decimals) => void {
  const [time, side, price, amount] = [
    createElement('td'),
    createElement('td'),
    createElement('td'),
    createElement('td'),
  ];
  parent.append(createElement('tr', '', time, side, price, amount));
  return (trade, decimals) => {
    setText(time, trade?.localTimestamp.slice(11, 23) ?? '');
    setText(side, trade?.side ?? '');
    side.className = trade?.side ?? '';
    setText(price, trade ? formatFixed(trade.price, decimals.price) : '');
    setText(amount, trade ? formatFixed(trade.amount, decimals.amount) : '');
  };
}

/** Skips unchanged texts, which are most of them. */
function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

const HEIGHT = 260;

type SteppedPaths = NonNullable<typeof uPlot.paths.stepped>;

/** Chart of the price over local time: a line, and an area between the lowest and highest price of each column. */
export interface PriceChart {
  draw(prices: PriceColumns): void;
}

export function createPriceChart(): PriceChart {
  const parent = elementById('price');
  const readSize = () => ({ width: parent.clientWidth, height: HEIGHT });
  let data: uPlot.AlignedData = [[], [], [], []];
  let chart: uPlot | undefined;
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
      data = [prices.seconds(), prices.highs, prices.lows, prices.lasts] as number[][] as uPlot.AlignedData;
      chart?.setData(data);
      parent.setAttribute('aria-label', describe(prices));
    },
  };
}

function createOptions(size: { readonly width: number; readonly height: number }): uPlot.Options {
  const line = { stroke: styleColor('line'), width: 1 };
  const axis = { stroke: styleColor('soft'), grid: line, ticks: line, font: '12px system-ui, sans-serif' };
  const price = (_: unknown, value: number | null): string => (value === null ? '–' : formatPrice(value));
  // A price is valid until the next one.
  const stepped = {
    points: { show: false },
    value: price,
    paths: (uPlot.paths.stepped as SteppedPaths)({ align: 1 }),
  };
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
