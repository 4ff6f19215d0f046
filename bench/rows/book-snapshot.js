import { Book } from './book.js';
import { clockOf } from './clock.js';
import { randomOf } from './random.js';

const LEVELS = 25;

/** Rows of book_snapshot_25: the best levels after each change; with fewer levels for a while after a reconnect. */
export function* bookSnapshotRows(seed, symbol) {
  const random = randomOf(seed);
  const now = clockOf(random, { pause: 82_000, lag: 5_500 });
  const book = new Book(random, { mid: 1_165_700, moves: 0.03, depth: 120 });
  let depth = LEVELS;
  let last;
  for (;;) {
    book.change();
    if (random.chance(0.0002)) depth = 12;
    else if (depth < LEVELS && random.chance(0.1)) depth++;
    let levels = '';
    for (let at = 0; at < LEVELS; at++)
      levels += at < depth ? `,${textOf(book.asks[at])},${textOf(book.bids[at])}` : ',,,,';
    if (levels === last) continue;
    last = levels;
    yield `binance-futures,${symbol},${now()}${levels}`;
  }
}

/** The book may have fewer levels than requested. */
function textOf(level) {
  return level ? level.text : ',';
}
