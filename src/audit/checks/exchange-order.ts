import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows whose exchange timestamp is less than the greatest one before them of the same symbol. */
export const exchangeOrder: ContentCheck = {
  name: 'exchange_order',
  appliesTo: () => true,
  degrades: false,
  start() {
    const found = new RowCounter();
    /** By symbol. */
    const greatest: number[] = [];
    let maxMicroseconds = 0;
    return {
      push(batch) {
        const { rows, timestamps, symbols } = batch;
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const timestamp = timestamps[row] as number;
          const before = symbol < 0 ? Number.NaN : (greatest[symbol] ?? Number.NEGATIVE_INFINITY);
          if (timestamp >= before) greatest[symbol] = timestamp;
          else if (timestamp < before) {
            found.add(batch, row);
            maxMicroseconds = Math.max(maxMicroseconds, before - timestamp);
          }
        }
      },
      end: () => ({ ...found.result(), maxMicroseconds }),
    };
  },
};
