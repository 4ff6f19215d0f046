import { findDataType } from '../../dataset/data-types.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';
import { EMPTY_FLAG } from '../shared/batch-rows.js';

/** Snapshots after the first one of a symbol. */
export const midSnapshot: ContentCheck = {
  name: 'mid_snapshot',
  appliesTo: (dataType) => findDataType(dataType)?.bestPrices === 'changes',
  degrades: false,
  start() {
    const found = new RowCounter();
    /** By symbol: the local timestamp of the snapshot that the last row belongs to; NaN if it belongs to none. */
    const current: number[] = [];
    const hasSnapshot: boolean[] = [];
    return {
      push(batch) {
        const { rows, symbols, localTimestamps } = batch;
        const snapshots = batch.flags('is_snapshot');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const local = localTimestamps[row] as number;
          const flag = snapshots[row] as number;
          if (symbol < 0 || flag === EMPTY_FLAG || Number.isNaN(local)) continue;
          if (flag === 1 && current[symbol] !== local) {
            if (hasSnapshot[symbol]) found.add(batch, row);
            hasSnapshot[symbol] = true;
          }
          current[symbol] = flag === 1 ? local : Number.NaN;
        }
      },
      end: () => found.result(),
    };
  },
};
