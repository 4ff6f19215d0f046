import { hasColumn } from '../../dataset/data-types.js';
import { getTextColumn } from '../audit-batch.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';
import { ID_KIND, LOW_LIMIT } from '../shared/id-numbers.js';
import { NumberSet } from '../shared/number-set.js';
import { TextSet } from '../shared/text-set.js';

/** Numbers up to here are exact, and their sum with a digit too. */
const MAX_HIGH = 1_000_000;

/** Rows whose id occurred before in the file for the same symbol. */
export const duplicateId: ContentCheck = {
  name: 'duplicate_id',
  appliesTo: hasIds,
  degrades: true,
  start() {
    const found = new RowCounter();
    const numbers = new NumberSet();
    const texts = new TextSet();
    return {
      push(batch) {
        const { rows, symbols } = batch;
        if (rows === 0) return;
        const { kinds, high, low } = batch.ids();
        const column = getTextColumn(batch, 'id');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const kind = kinds[row] as number;
          if (symbol < 0 || kind === ID_KIND.empty) continue;
          const isNumber = kind === ID_KIND.number && (high[row] as number) < MAX_HIGH;
          const number = isNumber ? (high[row] as number) * LOW_LIMIT + (low[row] as number) : -1;
          const isNew =
            isNumber && numbers.hasRoom(symbol, number)
              ? numbers.add(symbol, number)
              : texts.add(symbol, column, row);
          if (!isNew) found.add(batch, row);
        }
      },
      end: () => found.result(),
    };
  },
};

/** Whether rows of a data type may have ids. */
export function hasIds(dataType: string): boolean {
  return hasColumn(dataType, 'id');
}
