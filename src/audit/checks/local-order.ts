import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows whose local timestamp is less than that of the previous row. */
export const localOrder: ContentCheck = {
  name: 'local_order',
  appliesTo: () => true,
  degrades: true,
  start() {
    const found = new RowCounter();
    let previous = Number.NaN;
    return {
      push(batch) {
        const { rows, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const local = localTimestamps[row] as number;
          if (local < previous) found.add(batch, row);
          if (!Number.isNaN(local)) previous = local;
        }
      },
      end: () => found.result(),
    };
  },
};
