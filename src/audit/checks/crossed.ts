import { findDataType } from '../../day-files/data-types.js';
import { US_PER_DAY } from '../../day-files/day.js';
import type { RowPlace } from '../../events/audited-day.js';
import { createPlace } from '../audit-batch.js';
import { BOOK_STATE } from '../book-states.js';
import type { AuditedFile, CheckCounter, ContentCheck } from '../content-check.js';
import { StretchTally } from './gap.js';

/** Shorter crossings are usual where an exchange sends the two sides one after the other. */
const MAX_CROSSED_SECONDS = 1;

/** States in which the best bid is above the best ask. */
export const crossed: ContentCheck = {
  name: 'crossed',
  appliesTo: hasBestPrices,
  degrades: true,
  start: (file) => createStateCounter(file, BOOK_STATE.crossed),
  hasFailed: ({ seconds = 0 }) => seconds > MAX_CROSSED_SECONDS,
};

/** States in which the best bid equals the best ask. */
export const locked: ContentCheck = {
  name: 'locked',
  appliesTo: hasBestPrices,
  degrades: false,
  start: (file) => createStateCounter(file, BOOK_STATE.locked),
};

function hasBestPrices(dataType: string): boolean {
  return findDataType(dataType)?.bestPrices !== undefined;
}

/** Counts states of a kind, and sums the time until the next state of the same symbol. */
function createStateCounter({ dayStart }: AuditedFile, kind: number): CheckCounter {
  /** By symbol: the clock since which it is in this state; undefined if it is not. */
  const since: (number | undefined)[] = [];
  const stretches = new StretchTally();
  let count = 0;
  let first: RowPlace | undefined;
  return {
    push(batch) {
      const { bookStates } = batch;
      const { kinds, symbols, clocks } = bookStates;
      for (let i = 0; i < bookStates.count; i++) {
        const symbol = symbols[i] as number;
        const start = since[symbol];
        if (kinds[i] === kind) {
          count++;
          since[symbol] ??= clocks[i] as number;
          first ??= createPlace(
            batch,
            bookStates.rows[i] as number,
            bookStates.localTimestamps[i] as number,
            symbol,
          );
        } else if (start !== undefined) {
          stretches.add({ start, end: clocks[i] as number });
          since[symbol] = undefined;
        }
      }
    },
    end() {
      const end = dayStart + US_PER_DAY;
      for (const start of since) if (start !== undefined) stretches.add({ start, end });
      return { count, ...(first && { first }), ...stretches.sums() };
    },
  };
}
