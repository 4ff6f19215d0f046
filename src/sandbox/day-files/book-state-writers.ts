import type { SideLevels } from '../../market/book/top-levels.js';
import { createBookStateTracker } from '../market/book-state-tracker.js';
import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** Writes a row for each change of the best levels. */
export const createQuoteWriter: CreateLineWriter = createBookStateWriter(1, () => {
  const asks = new LevelCells(1);
  const bids = new LevelCells(1);
  return (ask, bid) => {
    // Real files have this irregular order: ask_amount,ask_price,bid_price,bid_amount.
    const [price = '', amount = ''] = asks.read(ask, 0).split(',');
    return `${amount},${price},${bids.read(bid, 0)}`;
  };
});

/** Writes a row for each change of the best `depth` levels. */
export function createSnapshotWriter(depth: number): CreateLineWriter {
  return createBookStateWriter(depth, () => {
    const askCells = new LevelCells(depth);
    const bidCells = new LevelCells(depth);
    return (asks, bids) => {
      let cells = `${askCells.read(asks, 0)},${bidCells.read(bids, 0)}`;
      for (let i = 1; i < depth; i++) cells += `,${askCells.read(asks, i)},${bidCells.read(bids, i)}`;
      return cells;
    };
  });
}

function createBookStateWriter(
  depth: number,
  createCellWriter: () => (asks: SideLevels, bids: SideLevels) => string,
): CreateLineWriter {
  return (instrument) => {
    const cells = createCellWriter();
    let text = '';
    const trackBook = createBookStateTracker(instrument, depth, (state) => {
      text += `${formatLineHead(instrument, state)}${cells(state.asks, state.bids)}\n`;
    });
    return (event) => {
      text = '';
      if (event.kind === 'book_change') trackBook(event);
      return text;
    };
  };
}

/** Caches `price,amount` of a side's levels, since most levels are the same as in the previous row. */
class LevelCells {
  readonly #prices: Float64Array;
  readonly #amounts: Float64Array;
  readonly #texts: string[];

  constructor(depth: number) {
    this.#prices = new Float64Array(depth);
    this.#amounts = new Float64Array(depth);
    this.#texts = Array.from({ length: depth }, () => ',');
  }

  read({ prices, amounts, count }: SideLevels, at: number): string {
    if (at >= count) return ',';
    const price = prices[at] as number;
    const amount = amounts[at] as number;
    if (price !== this.#prices[at] || amount !== this.#amounts[at]) {
      this.#prices[at] = price;
      this.#amounts[at] = amount;
      this.#texts[at] = `${price},${amount}`;
    }
    return this.#texts[at] as string;
  }
}
