import { type DataType, dataTypeColumns, isDataType } from '../../dataset/data-types.js';
import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { MarketSize } from '../market/market-size.js';
import { mergeByLocalTime } from '../market/merge-by-local-time.js';
import { simulateMarket } from '../market/simulate-market.js';
import { simulateOptionsChain } from '../market/simulate-options-chain.js';
import { createSyntheticInstrument } from '../market/synthetic-instrument.js';
import { createBookChangeWriter } from './book-change-writer.js';
import { createQuoteWriter, createSnapshotWriter } from './book-state-writers.js';
import { type CreateLineWriter, type CsvLines, generateLines } from './csv-lines.js';
import { generateOptionsChainLines } from './options-chain-lines.js';
import { createTickerWriter } from './ticker-writer.js';
import { createLiquidationWriter, createTradeWriter } from './trade-writers.js';

/** Characters of CSV per chunk. */
const CHUNK_CHARACTERS = 65_536;

const WRITERS: Readonly<Record<Exclude<DataType, 'options_chain'>, CreateLineWriter>> = {
  trades: createTradeWriter,
  liquidations: createLiquidationWriter,
  incremental_book_L2: createBookChangeWriter,
  quotes: createQuoteWriter,
  book_ticker: createQuoteWriter,
  book_snapshot_5: createSnapshotWriter(5),
  book_snapshot_25: createSnapshotWriter(25),
  derivative_ticker: createTickerWriter,
};

/**
 * Generates the CSV text of a synthetic day file, header first, in chunks, with constant memory for any number of
 * rows. All files of one symbol and day are based on the same events.
 * @param members symbols whose rows a grouped symbol's file contains; otherwise the symbol itself.
 */
export function* generateDayFileText(
  file: DayFile,
  members: readonly string[],
  size: MarketSize,
): Generator<string> {
  const { exchange, dataType, day } = file;
  if (!isDataType(dataType)) throw new RangeError(`no synthetic data for ${dataType}`);
  const symbols = members.map((symbol) => generateSymbolLines(exchange, symbol, dataType, day, size));
  let chunk = `${dataTypeColumns(dataType)
    ?.map(({ name }) => name)
    .join(',')}\n`;
  for (const { text } of mergeByLocalTime(symbols)) {
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
  if (dataType === 'options_chain')
    return generateOptionsChainLines(exchange, simulateOptionsChain(instrument, day, size));
  return generateLines(simulateMarket(instrument, day, size), WRITERS[dataType](instrument));
}
