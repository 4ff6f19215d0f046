import { hasColumn } from '../../dataset/data-types.js';
import type { AuditBatch } from '../audit-batch.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows whose bids do not descend or asks do not ascend strictly, or with a price after an empty level. */
export const levelOrder: ContentCheck = {
  name: 'level_order',
  appliesTo: (dataType) => hasColumn(dataType, 'bids[0].price'),
  degrades: true,
  start() {
    const found = new RowCounter();
    let isWrong = new Uint8Array();
    return {
      push(batch) {
        if (isWrong.length < batch.rows) isWrong = new Uint8Array(batch.rows);
        else isWrong.fill(0);
        markDisorder(batch, 'bids', -1, isWrong);
        markDisorder(batch, 'asks', 1, isWrong);
        for (let row = 0; row < batch.rows; row++) if (isWrong[row] === 1) found.add(batch, row);
      },
      end: () => found.result(),
    };
  },
};

/** @param direction 1 if prices must ascend, -1 if they must descend. */
function markDisorder(batch: AuditBatch, side: string, direction: 1 | -1, isWrong: Uint8Array): void {
  const levels = batch.schema.filter(
    ({ name }) => name.startsWith(`${side}[`) && name.endsWith('.price'),
  ).length;
  for (let level = 1; level < levels; level++) {
    const better = batch.numbers(`${side}[${level - 1}].price`);
    const worse = batch.numbers(`${side}[${level}].price`);
    for (let row = 0; row < batch.rows; row++) {
      const difference = ((worse[row] as number) - (better[row] as number)) * direction;
      // NaN if either is empty: then only a price after an empty one is wrong.
      if (!(difference > 0) && !Number.isNaN(worse[row] as number)) isWrong[row] = 1;
    }
  }
}
