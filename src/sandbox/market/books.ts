import { Book, type Level } from './book.js';
import type { RowMaker } from './rows.js';

const QUOTED_DEPTH = 5;
const INCREMENTAL_DEPTH = 25;

/** Quotes and book tickers: a row for each change of the best levels. */
export const quotes: RowMaker = ({ instrument, clock, random }) => {
  const book = new Book(instrument, QUOTED_DEPTH, random);
  const head = `${instrument.exchange},${instrument.symbol},`;
  let ask: Level | undefined;
  let bid: Level | undefined;
  return () => {
    clock.tick();
    while (book.asks[0] === ask && book.bids[0] === bid) book.step();
    ask = book.asks[0];
    bid = book.bids[0];
    // The uneven order of the real files: ask_amount,ask_price,bid_price,bid_amount.
    const [askPrice, askAmount] = ask?.text.split(',') ?? [];
    return `${head}${clock.stamp},${askAmount},${askPrice},${bid?.text}\n`;
  };
};

/** The whole book as a snapshot, then each change of a level; the rows of one change share their times. */
export const incrementalBook: RowMaker = ({ instrument, clock, random }) => {
  const book = new Book(instrument, INCREMENTAL_DEPTH, random);
  const head = `${instrument.exchange},${instrument.symbol},`;
  const waiting = [
    ...book.asks.map(({ text }) => `true,ask,${text}\n`),
    ...book.bids.map(({ text }) => `true,bid,${text}\n`),
  ];
  let next = 0;
  return () => {
    if (next === waiting.length) {
      clock.tick();
      book.step();
      next = 0;
      waiting.length = 0;
      for (const { side, text } of book.changes) waiting.push(`false,${side},${text}\n`);
    }
    return `${head}${clock.stamp},${waiting[next++]}`;
  };
};

/** A row for each change of the best `depth` levels. */
export function bookSnapshots(depth: number): RowMaker {
  return ({ instrument, clock, random }) => {
    const book = new Book(instrument, depth, random);
    const head = `${instrument.exchange},${instrument.symbol},`;
    return () => {
      clock.tick();
      let row = `${head}${clock.stamp}`;
      for (let i = 0; i < depth; i++) row += `,${book.asks[i]?.text},${book.bids[i]?.text}`;
      book.step();
      return `${row}\n`;
    };
  };
}
