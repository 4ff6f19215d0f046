import { type DataType, dataTypeColumns, isDataType } from '../../dataset/data-types.js';
import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import { instrumentOf } from '../market/instrument.js';
import { merged } from '../market/merged.js';
import { optionsChain } from '../market/options-chain.js';
import { simulate } from '../market/simulation.js';
import type { MarketSize } from '../market/size.js';
import { createBookChangeWriter } from './book-changes.js';
import { createQuoteWriter, createSnapshotWriter } from './book-states.js';
import { type CreateLineWriter, type CsvLines, generateLines } from './csv-lines.js';
import { createTickerWriter } from './derivative-ticker.js';
import { optionsChainLines } from './options-chain.js';
import { createLiquidationWriter, createTradeWriter } from './trades.js';

/** Characters of CSV given out at once. */
const CHUNK = 65_536;

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
 * The CSV text of a made-up day file, header first, in chunks: any number of rows takes the same memory. All files of
 * one symbol and day tell of the same events.
 * @param members symbols whose rows a grouped symbol's file holds; the symbol itself for any other.
 */
export function* generateDayFileText(
  file: DayFile,
  members: readonly string[],
  size: MarketSize,
): Generator<string> {
  const { exchange, dataType, day } = file;
  if (!isDataType(dataType)) throw new RangeError(`no made-up data for ${dataType}`);
  const symbols = members.map((symbol) => linesOfSymbol(exchange, symbol, dataType, day, size));
  let chunk = `${dataTypeColumns(dataType)
    ?.map(({ name }) => name)
    .join(',')}\n`;
  for (const { text } of merged(symbols)) {
    chunk += text;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function linesOfSymbol(
  exchange: string,
  symbol: string,
  dataType: DataType,
  day: Day,
  size: MarketSize,
): Generator<CsvLines> {
  const instrument = instrumentOf(exchange, symbol, size.seed, day);
  if (dataType === 'options_chain') return optionsChainLines(exchange, optionsChain(instrument, day, size));
  return generateLines(simulate(instrument, day, size), WRITERS[dataType](instrument));
}
