import { hasColumn, isNeverEmpty } from '../../dataset/data-types.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Columns that always have a value if their data type has a side, besides the leading ones. */
const REQUIRED = ['price', 'amount', 'side'];

/** Empty cells that should have a value. */
export const missingValue: ContentCheck = {
  name: 'missing_value',
  appliesTo: () => true,
  degrades: true,
  start({ dataType }) {
    const found = new RowCounter();
    const hasMore = hasColumn(dataType, 'side');
    return {
      push(batch) {
        const nulls = batch.schema.flatMap((column, i) => {
          const isRequired = isNeverEmpty(column) || (hasMore && REQUIRED.includes(column.name));
          return (isRequired && batch.batch.columns[i]?.nulls) || [];
        });
        if (nulls.length === 0) return;
        for (let row = 0; row < batch.rows; row++) {
          const empty = nulls.reduce((count, column) => count + (column[row] as number), 0);
          if (empty > 0) found.add(batch, row, empty);
        }
      },
      end: () => found.result(),
    };
  },
};
