import type { PageNode } from '../../../../page/browser/dom.js';
import { createElement, elementById } from '../../../../page/browser/elements.js';
import type { Level, TickerField } from './messages.js';
import { decimalsOf, fixed, short } from './numbers.js';
import type { Watched, WatchedBook, WatchedTrade } from './watched.js';

const LEVELS = 10;
const TRADES = 20;

/** Draws what is seen of a replay, in rows that are made once. */
export interface Panels {
  draw(watched: Watched): void;
}

export function createPanels(): Panels {
  // The best ask stands beside the best bid.
  const asks = rowsOf(elementById('asks'), LEVELS, levelRow).reverse();
  const bids = rowsOf(elementById('bids'), LEVELS, levelRow);
  const trades = rowsOf(elementById('trades'), TRADES, tradeRow);
  const fields = [...elementById('ticker').querySelectorAll('dd')];
  return {
    draw({ book, trades: latest, ticker }) {
      drawBook(asks, bids, book);
      const shown = latest.latest();
      const decimals = {
        price: decimalsOf(shown.map(({ price }) => price)),
        amount: decimalsOf(shown.map(({ amount }) => amount)),
      };
      for (const [at, row] of trades.entries()) row(shown[at], decimals);
      for (const node of fields) {
        setText(node, short(ticker?.[node.dataset['field'] as TickerField]));
      }
    },
  };
}

function rowsOf<T>(parent: PageNode, count: number, row: (parent: PageNode) => T): T[] {
  return Array.from({ length: count }, () => row(parent));
}

type DrawLevel = (level: Level | undefined, most: number, decimals: Decimals) => void;

interface Decimals {
  readonly price: number;
  readonly amount: number;
}

function drawBook(
  asks: readonly DrawLevel[],
  bids: readonly DrawLevel[],
  book: WatchedBook | undefined,
): void {
  const levels = [...(book?.asks ?? []), ...(book?.bids ?? [])];
  const decimals = {
    price: decimalsOf(levels.map(({ price }) => price)),
    amount: decimalsOf(levels.map(({ amount }) => amount)),
  };
  const most = levels.reduce((sum, { amount = 0 }) => Math.max(sum, amount), 0);
  for (const [at, row] of asks.entries()) row(book?.asks[at], most, decimals);
  for (const [at, row] of bids.entries()) row(book?.bids[at], most, decimals);
  const [ask, bid] = [book?.asks[0]?.price, book?.bids[0]?.price];
  const spread = ask === undefined || bid === undefined ? undefined : ask - bid;
  setText(elementById('spread'), `spread ${fixed(spread, decimals.price)}`);
}

function levelRow(parent: PageNode): DrawLevel {
  const price = createElement('td');
  const bar = createElement('span', 'bar');
  const amount = createElement('span', 'text');
  parent.append(createElement('tr', '', price, createElement('td', '', bar, amount)));
  return (level, most, decimals) => {
    const isThere = level?.price !== undefined;
    setText(price, isThere ? fixed(level.price, decimals.price) : '');
    setText(amount, isThere ? fixed(level.amount, decimals.amount) : '');
    bar.style.width = `${most > 0 ? (100 * (level?.amount ?? 0)) / most : 0}%`;
  };
}

function tradeRow(parent: PageNode): (trade: WatchedTrade | undefined, decimals: Decimals) => void {
  const [at, side, price, amount] = [
    createElement('td'),
    createElement('td'),
    createElement('td'),
    createElement('td'),
  ];
  parent.append(createElement('tr', '', at, side, price, amount));
  return (trade, decimals) => {
    setText(at, trade?.at.slice(11, 23) ?? '');
    setText(side, trade?.side ?? '');
    side.className = trade?.side ?? '';
    setText(price, trade ? fixed(trade.price, decimals.price) : '');
    setText(amount, trade ? fixed(trade.amount, decimals.amount) : '');
  };
}

/** Most of what is drawn again is the same. */
function setText(node: PageNode, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
