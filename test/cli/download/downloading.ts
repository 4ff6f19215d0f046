import { type Finished, type JsonLine, jsonLines } from '../../helpers/cli.js';
import { tradesOf } from '../../helpers/selection.js';

/** Brings more files than are in flight at once: 14. */
export const DAYS = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--from', '2024-02-25'];

/** Brings one. */
export const FIRST = ['download', ...tradesOf('2024-03-01')];

/** A summary, where the run had time for one. */
export const lastLine = (finished: Finished): JsonLine | undefined => jsonLines(finished).at(-1);
