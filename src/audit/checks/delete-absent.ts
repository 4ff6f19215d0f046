import { findDataType } from '../../dataset/data-types.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows that delete a level which the book does not hold. */
export const deleteAbsent: ContentCheck = {
  name: 'delete_absent',
  appliesTo: (dataType) => findDataType(dataType)?.bestPrices === 'changes',
  degrades: false,
  start() {
    const found = new RowCounter();
    return {
      push(batch) {
        for (const row of batch.bookStates.absentDeletes) found.add(batch, row);
      },
      end: () => found.result(),
    };
  },
};
