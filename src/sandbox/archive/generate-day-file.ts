import { type DataType, dataTypeColumns, isDataType } from '../../day-files/data-types.js';
import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { DataFault, FaultShares } from '../hosts/sandbox-faults.js';
import type { MarketSize } from '../simulation/market-event.js';
import { simulateMarket } from '../simulation/simulate-market.js';
import { simulateOptionsChain } from '../simulation/simulate-options-chain.js';
import { createSyntheticInstrument } from '../simulation/synthetic-instrument.js';
import { plantDataFault } from './data-faults.js';
import {
  type CreateLineWriter,
  type CsvLines,
  createBookChangeWriter,
  createLiquidationWriter,
  createOptionsChainWriter,
  createQuoteWriter,
  createSnapshotWriter,
  createTickerWriter,
  createTradeWriter,
  generateLines,
} from './line-writers.js';

/** Characters of CSV per chunk. */
const CHUNK_CHARACTERS = 65_536;

const WRITERS: Readonly<Record<DataType, CreateLineWriter>> = {
  trades: createTradeWriter,
  liquidations: createLiquidationWriter,
  incremental_book_L2: createBookChangeWriter,
  quotes: createQuoteWriter,
  book_ticker: createQuoteWriter,
  book_snapshot_5: createSnapshotWriter(5),
  book_snapshot_25: createSnapshotWriter(25),
  derivative_ticker: createTickerWriter,
  options_chain: createOptionsChainWriter,
};

/**
 * Generates the CSV text of a synthetic day file, header first, in chunks, with constant memory for any number of
 * rows. All files of one symbol and day are based on the same events.
 * @param members symbols whose rows a grouped symbol's file contains; otherwise the symbol itself.
 * @param faults faults of the data, with their shares of the files.
 */
export function* generateDayFileText(
  file: DayFile,
  members: readonly string[],
  size: MarketSize,
  faults: FaultShares<DataFault> = {},
): Generator<string> {
  const { exchange, dataType, day } = file;
  if (!isDataType(dataType)) throw new RangeError(`no synthetic data for ${dataType}`);
  const symbols = members.map((symbol) => generateSymbolLines(exchange, symbol, dataType, day, size));
  let chunk = `${dataTypeColumns(dataType)
    ?.map(({ name }) => name)
    .join(',')}\n`;
  for (const { text } of plantDataFault(mergeByLocalTime(symbols), file, faults, size.seed)) {
    chunk += text;
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function generateSymbolLines(
  exchange: string,
  symbol: string,
  dataType: DataType,
  day: Day,
  size: MarketSize,
): Generator<CsvLines> {
  const instrument = createSyntheticInstrument(exchange, symbol, size.seed, day);
  const simulate = dataType === 'options_chain' ? simulateOptionsChain : simulateMarket;
  return generateLines(simulate(instrument, day, size), WRITERS[dataType](instrument));
}

interface Timed {
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Merges items of several markets by local time. For equal times, earlier markets come first. */
function* mergeByLocalTime<T extends Timed>(markets: readonly Generator<T>[]): Generator<T> {
  const inputs = markets.flatMap((items) => {
    const first = items.next();
    return first.done ? [] : [{ items, next: first.value }];
  });
  while (inputs.length > 0) {
    const first = inputs.reduce((a, b) => (b.next.localTimestamp < a.next.localTimestamp ? b : a));
    yield first.next;
    const next = first.items.next();
    if (next.done) inputs.splice(inputs.indexOf(first), 1);
    else first.next = next.value;
  }
}
