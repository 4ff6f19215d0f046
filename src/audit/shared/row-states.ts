import { BookStates, compareBest, type StateSource } from './book-states.js';

/** Finds the states of a data type in which each row is a state: quotes, and level 0 of book snapshots. */
export function createRowStates(bidColumn: string, askColumn: string): StateSource {
  const states = new BookStates();
  return {
    push(batch) {
      const { rows, rowsBefore, symbols, clocks, localTimestamps } = batch;
      const bids = batch.numbers(bidColumn);
      const asks = batch.numbers(askColumn);
      states.clear(rows);
      for (let row = 0; row < rows; row++) {
        const symbol = symbols[row] as number;
        if (symbol < 0) continue;
        const kind = compareBest(bids[row] as number, asks[row] as number);
        const local = localTimestamps[row] as number;
        states.add(kind, symbol, clocks[row] as number, rowsBefore + row + 1, local);
      }
      return states;
    },
    end() {
      states.clear(0);
      return states;
    },
  };
}
