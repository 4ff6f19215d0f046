import { Book } from './book.js';
import { clockOf } from './clock.js';
import { randomOf } from './random.js';

const LEVELS = 500;
/** Maximum number of messages between two snapshots: a connection reconnects a few times per day. */
const RECONNECT = 300_000;

/**
 * Rows of incremental_book_L2: a snapshot, then messages of one to some hundred levels with equal times, bids first,
 * from the best on; occasionally another snapshot.
 */
export function* incrementalBookRows(seed, symbol) {
  const random = randomOf(seed);
  const now = clockOf(random, { pause: 40_000, lag: 6_000 });
  const book = new Book(random, { mid: 1_165_700, moves: 0.003, depth: LEVELS });
  for (;;) {
    const first = `binance-futures,${symbol},${now()},true`;
    for (const { text } of book.bids) yield `${first},bid,${text}`;
    for (const { text } of book.asks) yield `${first},ask,${text}`;
    for (let message = random.pick(RECONNECT); message > 0; message--) {
      const begin = `binance-futures,${symbol},${now()},false`;
      const bids = new Map();
      const asks = new Map();
      for (let count = 1 + Math.floor(random.exponential(11)); count > 0; count--) {
        const { side, level } = book.change();
        (side === 'bid' ? bids : asks).set(level.price, level.text);
      }
      for (const [, text] of [...bids].sort(([a], [b]) => b - a)) yield `${begin},bid,${text}`;
      for (const [, text] of [...asks].sort(([a], [b]) => a - b)) yield `${begin},ask,${text}`;
    }
  }
}
