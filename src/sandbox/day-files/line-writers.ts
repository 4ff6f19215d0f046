import type { SideLevels } from '../../market/book/book-snapshots.js';
import { createBookStateTracker } from '../market/book-state-tracker.js';
import { formatTickerValues } from '../market/synthetic-ticker.js';
import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** Writes a row for each fill of an order. */
export const createTradeWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'trades') return '';
    const head = formatLineHead(instrument, event);
    const price = event.ticks / ticksPerUnit;
    let text = '';
    for (const { id, lots } of event.fills) {
      text += `${head}${id},${event.side},${price},${lots / lotsPerUnit}\n`;
    }
    return text;
  };
};

export const createLiquidationWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'liquidation') return '';
    const { id, side, ticks, lots } = event;
    return `${formatLineHead(instrument, event)}${id},${side},${ticks / ticksPerUnit},${lots / lotsPerUnit}\n`;
  };
};

/** Writes a row for each level of a change. The rows of one change have the same times. */
export const createBookChangeWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'book_change') return '';
    const head = `${formatLineHead(instrument, event)}${event.isSnapshot},`;
    let text = '';
    for (const { isAsk, ticks, lots } of event.levels) {
      text += `${head}${isAsk ? 'ask' : 'bid'},${ticks / ticksPerUnit},${lots / lotsPerUnit}\n`;
    }
    return text;
  };
};

/** Writes tickers. Values that the exchange does not provide are empty cells. */
export const createTickerWriter: CreateLineWriter = (instrument) => (event) => {
  if (event.kind !== 'ticker') return '';
  const price = (ticks: number | undefined): number | '' =>
    ticks === undefined ? '' : ticks / instrument.ticksPerUnit;
  const { fundingTimestamp = '', openInterest, lastTicks, indexTicks } = event;
  const { fundingRate, predictedFundingRate = '', markPrice } = formatTickerValues(event);
  return (
    `${formatLineHead(instrument, event)}${fundingTimestamp},${fundingRate},${predictedFundingRate},` +
    `${openInterest},${price(lastTicks)},${price(indexTicks)},${markPrice}\n`
  );
};

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
