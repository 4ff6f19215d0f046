import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows whose exchange timestamp is later than their local timestamp. */
export const futureTimestamp: ContentCheck = {
  name: 'future_timestamp',
  appliesTo: () => true,
  degrades: false,
  start() {
    const found = new RowCounter();
    let maxMicroseconds = 0;
    return {
      push(batch) {
        const { rows, timestamps, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const difference = (timestamps[row] as number) - (localTimestamps[row] as number);
          if (!(difference > 0)) continue;
          found.add(batch, row);
          maxMicroseconds = Math.max(maxMicroseconds, difference);
        }
      },
      end: () => ({ ...found.result(), maxMicroseconds }),
    };
  },
};
