import { columnsOf, type DataType, isDataType } from '../../dataset/data-types.js';
import type { DayFile } from '../../dataset/day-file.js';
import { bookSnapshots, incrementalBook, quotes } from './books.js';
import { Clock } from './clock.js';
import { derivativeTicker } from './derivative-ticker.js';
import { instrumentOf } from './instrument.js';
import { optionsChain } from './options-chain.js';
import { type Random, seededRandom } from './random.js';
import type { NextRow, RowMaker } from './rows.js';
import { liquidations, trades } from './trades.js';

/** Characters of CSV given out at once. */
const CHUNK = 65_536;

const ROWS: Readonly<Record<DataType, RowMaker>> = {
  trades,
  liquidations,
  quotes,
  book_ticker: quotes,
  incremental_book_L2: incrementalBook,
  derivative_ticker: derivativeTicker,
  options_chain: optionsChain,
  book_snapshot_5: bookSnapshots(5),
  book_snapshot_25: bookSnapshots(25),
};

export interface MarketSize {
  /** Rows of each file. */
  readonly rows: number;
  readonly seed: number;
}

/**
 * The CSV text of a made-up day file, header first, in chunks: any number of rows takes the same memory.
 * @param members symbols whose rows a grouped symbol's file holds; the symbol itself for any other.
 */
export function* dayFileText(file: DayFile, members: readonly string[], size: MarketSize): Generator<string> {
  const { exchange, dataType, symbol, day } = file;
  if (!isDataType(dataType)) throw new RangeError(`no made-up data for ${dataType}`);
  const random = seededRandom(size.seed, exchange, dataType, symbol, day);
  const { resolution } = instrumentOf(exchange, symbol, size.seed, day);
  const clock = new Clock(day, size.rows, resolution, random);
  const sources = members.map((member) =>
    ROWS[dataType]({ instrument: instrumentOf(exchange, member, size.seed, day), clock, random }),
  );
  let chunk = `${columnsOf(dataType)
    ?.map(({ name }) => name)
    .join(',')}\n`;
  for (let row = 0; row < size.rows; row++) {
    chunk += pick(sources, random)();
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function pick(sources: readonly NextRow[], random: Random): NextRow {
  const source = sources.length === 1 ? sources[0] : sources[random.int(sources.length)];
  if (!source) throw new RangeError('a grouped symbol without members');
  return source;
}
