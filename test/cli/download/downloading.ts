import { type Finished, type JsonLine, jsonLines } from '../../helpers/cli.js';
import { tradesOf } from '../../helpers/selection.js';

/** Downloads 14 files, more than are in flight at once. */
export const DAYS = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--from', '2024-02-25'];

/** Downloads one file. */
export const FIRST = ['download', ...tradesOf('2024-03-01')];

/** A summary, if the run had time to print one. */
export const lastLine = (finished: Finished): JsonLine | undefined => jsonLines(finished).at(-1);
