import { US_PER_DAY } from '../../dataset/day.js';
import type { ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';

/** Rows whose local timestamp is not within the file's UTC day. */
export const outsideDay: ContentCheck = {
  name: 'outside_day',
  appliesTo: () => true,
  degrades: true,
  start({ dayStart }) {
    const found = new RowCounter();
    const dayEnd = dayStart + US_PER_DAY;
    return {
      push(batch) {
        const { rows, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const local = localTimestamps[row] as number;
          if (local < dayStart || local >= dayEnd) found.add(batch, row);
        }
      },
      end: () => found.result(),
    };
  },
};
