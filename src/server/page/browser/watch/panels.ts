import type { PageNode } from '../../../../base/page/browser/dom.js';
import { createElement, elementById } from '../../../../base/page/browser/elements.js';
import type { Level, TickerField } from './messages.js';
import { countDecimals, formatFixed, formatShort } from './numbers.js';
import type { ViewData, ViewedBook, ViewedTrade } from './view-data.js';

const LEVELS = 10;
const TRADES = 20;

/** Draws book, trades and ticker of a replay into rows that are created once. */
export interface Panels {
  draw(data: ViewData): void;
}

export function createPanels(): Panels {
  // Asks are listed from worst to best, so that the best ask is next to the best bid.
  const asks = createRows(elementById('asks'), LEVELS, createLevelRow).reverse();
  const bids = createRows(elementById('bids'), LEVELS, createLevelRow);
  const trades = createRows(elementById('trades'), TRADES, createTradeRow);
  const fields = [...elementById('ticker').querySelectorAll('dd')];
  return {
    draw({ book, trades: latest, ticker }) {
      drawBook(asks, bids, book);
      const shown = latest.latest();
      const decimals = {
        price: countDecimals(shown.map(({ price }) => price)),
        amount: countDecimals(shown.map(({ amount }) => amount)),
      };
      for (const [index, row] of trades.entries()) row(shown[index], decimals);
      for (const node of fields) {
        setText(node, formatShort(ticker?.[node.dataset['field'] as TickerField]));
      }
    },
  };
}

function createRows<T>(parent: PageNode, count: number, row: (parent: PageNode) => T): T[] {
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

function createLevelRow(parent: PageNode): DrawLevel {
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

function createTradeRow(parent: PageNode): (trade: ViewedTrade | undefined, decimals: Decimals) => void {
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
function setText(node: PageNode, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
