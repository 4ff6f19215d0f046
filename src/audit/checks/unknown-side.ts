import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';
import { OTHER_CODE } from '../shared/text-codes.js';
import { hasIds } from './duplicate-id.js';

/** Trades whose side is neither buy nor sell. */
export const unknownSide: ContentCheck = {
  name: 'unknown_side',
  appliesTo: hasIds,
  degrades: false,
  start() {
    const found = new RowCounter();
    return {
      push(batch) {
        const sides = batch.codes('side', { buy: 1, sell: 2 });
        for (let row = 0; row < batch.rows; row++) if (sides[row] === OTHER_CODE) found.add(batch, row);
      },
      end: () => found.result(),
    };
  },
};
