import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Trades whose price differs from the previous one of the same symbol by more than `--jump`. */
export const priceJump: ContentCheck = {
  name: 'price_jump',
  appliesTo: (dataType) => dataType === 'trades',
  degrades: false,
  start({ thresholds }) {
    const found = new RowCounter();
    const ratio = 1 + thresholds.jump;
    /** By symbol. */
    const previous: number[] = [];
    return {
      push(batch) {
        const { rows, symbols } = batch;
        const prices = batch.numbers('price');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const price = prices[row] as number;
          if (symbol < 0 || !(price > 0)) continue;
          const before = previous[symbol];
          if (before !== undefined && (price > before * ratio || price * ratio < before))
            found.add(batch, row);
          previous[symbol] = price;
        }
      },
      end: () => found.result(),
    };
  },
};
