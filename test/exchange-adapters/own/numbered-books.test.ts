import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TickhaulError } from '../../../src/base/errors.js';
import type { Normalizer } from '../../../src/exchange-adapters/normalizer.js';
import { bullishBooks } from '../../../src/exchange-adapters/own/bullish-normalizers.js';
import { lighterBooks } from '../../../src/exchange-adapters/own/lighter-normalizers.js';
import { polymarketBooks } from '../../../src/exchange-adapters/own/polymarket-normalizers.js';
import type { BookChangeRecord } from '../../../src/market/message-record.js';

/** Prices with amounts of one side; the other side is tested by symmetry. */
type Levels = ReadonlyMap<number, number>;

/** A change of one level; 0 removes it. */
interface Change {
  readonly price: number;
  readonly amount: number;
}

/** A message with the state or the changes of a book: the numbers after `begin` up to `end`. */
interface Numbered {
  readonly isSnapshot: boolean;
  readonly begin: number;
  readonly end: number;
  readonly levels: Levels;
}

const FIRST = 100;

const changes = fc.array(
  fc.record({ price: fc.integer({ min: 1, max: 9 }), amount: fc.integer({ min: 0, max: 5 }) }),
  { minLength: 1, maxLength: 30 },
);

/** The whole book after each change, by its number. */
function statesOf(made: readonly Change[]): readonly Levels[] {
  const states: Levels[] = [new Map([[5, 1]])];
  for (const change of made) states.push(apply(states.at(-1) ?? new Map(), [[change.price, change.amount]]));
  return states;
}

function apply(book: Levels, levels: Iterable<readonly [number, number]>): Levels {
  const next = new Map(book);
  for (const [price, amount] of levels) {
    if (amount === 0) next.delete(price);
    else next.set(price, amount);
  }
  return next;
}

/**
 * The messages of an exchange: a snapshot at first, then updates of one or several changes, and snapshots in
 * between; and what a bad connection makes of them: some are lost, some are late, the beginning is cut off.
 */
const scenario = changes.chain((made) => {
  const states = statesOf(made);
  const pieces = fc.array(fc.record({ size: fc.integer({ min: 1, max: 3 }), whole: fc.nat({ max: 6 }) }), {
    minLength: made.length,
    maxLength: made.length,
  });
  const moves = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 2 })), { maxLength: 3 });
  return fc.record({ states: fc.constant(states), pieces, moves, cut: fc.nat({ max: 3 }) }).map((parts) => {
    const sent: Numbered[] = [snapshotAt(states, 0)];
    let at = 0;
    for (const { size, whole } of parts.pieces) {
      if (at >= made.length) break;
      const end = Math.min(made.length, at + size);
      const levels = new Map(made.slice(at, end).map(({ price, amount }) => [price, amount]));
      sent.push({ isSnapshot: false, begin: FIRST + at, end: FIRST + end, levels });
      at = end;
      if (whole === 0) sent.push(snapshotAt(states, at));
    }
    for (const [place, kind] of parts.moves) {
      const [moved] = sent.splice(place % Math.max(1, sent.length), 1);
      // 0 is a lost message, 1 a late one, 2 one that arrives twice.
      if (moved && kind > 0) sent.splice((place + 1) % (sent.length + 1), 0, moved);
      if (moved && kind === 2) sent.splice(place % (sent.length + 1), 0, moved);
    }
    return { states, messages: sent.slice(parts.cut) };
  });
});

function snapshotAt(states: readonly Levels[], at: number): Numbered {
  return { isSnapshot: true, begin: 0, end: FIRST + at, levels: states[at] ?? new Map() };
}

/**
 * The documented rule, slowly: the book contains the changes up to a number. An update that ends at or before
 * the snapshot is contained in it. Any other one must begin at or before the book's number, and end after it.
 * @returns whether to apply each message, and for the first one that does not join 'gap'.
 */
function judge(messages: readonly Numbered[]): readonly (boolean | 'gap')[] {
  const verdicts: (boolean | 'gap')[] = [];
  for (const [i, { isSnapshot, begin, end }] of messages.entries()) {
    const before = messages.slice(0, i).filter((_, at) => verdicts[at] === true);
    const book = before.at(-1);
    if (isSnapshot || book === undefined) verdicts.push(true);
    else if (end <= book.end && book.isSnapshot) verdicts.push(false);
    else if (begin > book.end || end <= book.end) return [...verdicts, 'gap'];
    else verdicts.push(true);
  }
  return verdicts;
}

/** Messages of an exchange whose updates name a range of numbers, or their number and the one before. */
interface Form {
  readonly create: () => Normalizer;
  readonly write: (message: Numbered) => object;
}

const FORMS: Readonly<Record<string, Form>> = {
  lighter: {
    create: lighterBooks,
    write: ({ isSnapshot, begin, end, levels }) => ({
      type: isSnapshot ? 'subscribed/order_book' : 'update/order_book',
      channel: 'order_book:1',
      timestamp: 1_776_692_222_437,
      order_book: {
        bids: [...levels].map(([price, size]) => ({ price: String(price), size: String(size) })),
        asks: [],
        nonce: end,
        begin_nonce: isSnapshot ? 0 : begin,
      },
    }),
  },
  bullish: {
    create: bullishBooks,
    write: ({ isSnapshot, begin, end, levels }) => ({
      type: isSnapshot ? 'snapshot' : 'update',
      dataType: 'V1TALevel2',
      data: {
        symbol: '1',
        bids: [...levels].flatMap(([price, size]) => [String(price), String(size)]),
        asks: [],
        sequenceNumberRange: isSnapshot ? [end, end] : [begin + 1, end],
      },
    }),
  },
};

for (const [exchange, { create, write }] of Object.entries(FORMS)) {
  test(`${exchange}: whatever is lost, late or cut off, a book is right or an error`, () => {
    fc.assert(
      fc.property(scenario, ({ states, messages }) => {
        const normalizer = create();
        let book: Levels = new Map();
        let hasSnapshot = false;
        for (const [i, verdict] of judge(messages).entries()) {
          const message = messages[i] as Numbered;
          const records: BookChangeRecord[] = [];
          const readIt = (): void =>
            normalizer.read(write(message), 1, (record) => records.push(record as BookChangeRecord));
          if (verdict === 'gap') {
            assert.throws(readIt, (error) => {
              assert.ok(error instanceof TickhaulError && error.code === 'corrupt');
              assert.match(
                error.message,
                new RegExp(`^${exchange}: the book of 1 lacks updates: .* to ${message.end} `),
              );
              return true;
            });
            return;
          }
          readIt();
          assert.equal(records.length, verdict ? 1 : 0);
          const [record] = records;
          if (record === undefined) continue;
          hasSnapshot ||= record.isSnapshot;
          const levels = record.bids.map(({ price, amount }) => [price, amount] as const);
          book = record.isSnapshot ? new Map(levels) : apply(book, levels);
          if (hasSnapshot) assert.deepEqual(sorted(book), sorted(states[message.end - FIRST] ?? new Map()));
        }
      }),
      { numRuns: 300 },
    );
  });
}

test('polymarket: after a whole book the book is right until the next lost message', () => {
  const POLYMARKET = { asset_id: '1', timestamp: '1778480069765' };
  const event = ({ isSnapshot, levels }: Numbered): object => {
    const entries = [...levels].map(([price, size]) => ({ price: String(price), size: String(size) }));
    const price_changes = entries.map((level) => ({ asset_id: '1', side: 'BUY', ...level }));
    return isSnapshot
      ? { ...POLYMARKET, event_type: 'book', bids: entries, asks: [] }
      : { ...POLYMARKET, event_type: 'price_change', price_changes };
  };
  fc.assert(
    fc.property(scenario, ({ states, messages }) => {
      const normalizer = polymarketBooks();
      let book: Levels = new Map();
      /** The book's number, unless a message is missing since the last whole book. */
      let last: number | undefined;
      for (const message of messages) {
        normalizer.read(event(message), 1, (record) => {
          const { isSnapshot, bids } = record as BookChangeRecord;
          const levels = bids.map(({ price, amount }) => [price, amount] as const);
          book = isSnapshot ? new Map(levels) : apply(book, levels);
        });
        last = message.isSnapshot || message.begin === last ? message.end : undefined;
        if (last !== undefined) assert.deepEqual(sorted(book), sorted(states[last - FIRST] ?? new Map()));
      }
    }),
    { numRuns: 300 },
  );
});

function sorted(book: Levels): readonly (readonly [number, number])[] {
  return [...book].sort(([one], [other]) => one - other);
}
