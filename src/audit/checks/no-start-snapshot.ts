import { findDataType } from '../../dataset/data-types.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Symbols whose first row is not part of a snapshot. */
export const noStartSnapshot: ContentCheck = {
  name: 'no_start_snapshot',
  appliesTo: (dataType) => findDataType(dataType)?.bestPrices === 'changes',
  degrades: true,
  start() {
    const found = new RowCounter();
    /** By symbol. */
    const hasRow: boolean[] = [];
    return {
      push(batch) {
        const { rows, symbols } = batch;
        const snapshots = batch.flags('is_snapshot');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          if (symbol < 0 || hasRow[symbol] || (snapshots[row] as number) > 1) continue;
          hasRow[symbol] = true;
          if (snapshots[row] === 0) found.add(batch, row);
        }
      },
      end: () => found.result(),
    };
  },
};
