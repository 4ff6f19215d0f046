import { plural } from '../../base/units.js';
import type { Batch, TextColumn } from '../../format/batch.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { loadLz4 } from '../../format/compressor.js';
import { getColumn, getNumbers } from '../../market/batch-columns.js';
import { toDictionary } from '../../market/lines/line-parts.js';
import { type ExportIo, type ExportJob, type OutputOwner, sameOutputError } from '../export-target.js';
import { CANDLE_SCHEMA } from './candles-file.js';
import { createFullArray, encodeRecordBatch, FeatherFile } from './feather-file.js';
import { type JobSettings, PAIR_ADVICE, pairPaths, parseTimeframe } from './freqtrade-settings.js';
import { FundingRates, MarkCandles, type TickerCandle } from './funding-candles.js';

/** What is known of one contract. */
interface Contract {
  readonly pair: string;
  readonly symbol: string;
  readonly rates: FundingRates;
  readonly marks: MarkCandles;
  rows: number;
}

const COLUMNS = ['symbol', 'timestamp', 'funding_timestamp', 'funding_rate', 'mark_price'];

/**
 * Writes the funding rates and the mark candles of the contracts in `derivative_ticker` files, all days in one file each
 * (docs/spec/freqtrade-files.md#funding-rates).
 * @throws TickhaulError `corrupt`, `disk`, errors of the store.
 */
export async function exportFunding(job: ExportJob, io: ExportIo): Promise<void> {
  const settings = job.settings as JobSettings;
  const { funding } = settings;
  if (!funding) throw new Error('a job of tickers without timeframes');
  const fundingFrame = parseTimeframe(funding.timeframe);
  const markFrame = parseTimeframe(funding.markTimeframe);
  const grid = funding.grid === undefined ? undefined : parseTimeframe(funding.grid).microseconds;
  const days = new Set<number>(job.sources.map(({ file }) => file.day));
  const contracts = new Map<string, Contract>();
  let unpaired = 0;
  const contractOf = (symbol: string): Contract | undefined => {
    const pair = settings.pair ?? settings.pairs?.[symbol.toUpperCase()];
    if (pair === undefined) return undefined;
    const known = contracts.get(pair);
    if (known && known.symbol !== symbol)
      throw sameOutputError(pair, known.symbol, { name: symbol, advise: () => PAIR_ADVICE });
    if (known) return known;
    const marks = new MarkCandles(markFrame.microseconds);
    const contract = { pair, symbol, rates: new FundingRates(grid), marks, rows: 0 };
    contracts.set(pair, contract);
    return contract;
  };
  const addBatch = (batch: Batch): void => {
    const { indices, texts } = toDictionary(getColumn(batch, 'symbol') as TextColumn);
    const bySymbol = texts.map(contractOf);
    const timestamps = getNumbers(batch, 'timestamp');
    const [times, rates, marks] = COLUMNS.slice(2).map((name) => readCells(batch, name));
    for (let row = 0; row < batch.rows; row++) {
      const contract = bySymbol[indices[row] as number];
      if (!contract) {
        unpaired++;
        continue;
      }
      const timestamp = timestamps[row] as number;
      contract.rates.add(timestamp, times?.(row) as number, rates?.(row) as number);
      contract.marks.add(timestamp, marks?.(row) as number);
      contract.rows++;
    }
  };
  for (const source of job.sources) await io.read(source, { numberText: 'none', columns: COLUMNS }, addBatch);
  for (const { pair, symbol, rates, marks, rows } of contracts.values()) {
    const owner = { name: `${symbol} (${pair})`, advise: () => PAIR_ADVICE };
    const paths = pairPaths(pair);
    const charged = rates.list(fundingFrame.microseconds, days);
    const hasRates = charged.length > 0;
    if (hasRates) await writeCandles(io, paths.funding(funding.timeframe), owner, charged, rows, false);
    else
      io.warn(
        `${job.key}: ${pair}: no funding rates, so freqtrade charges none${rates.hasNoTimes && grid === undefined ? '; the exchange sends no time of funding, set --funding-grid, such as 8h' : ''}`,
      );
    const candles = marks.list(days);
    if (candles.length > 0)
      await writeCandles(io, paths.mark(funding.markTimeframe), owner, candles, rows, hasRates);
    else io.warn(`${job.key}: ${pair}: no mark prices, without which freqtrade charges no funding`);
    if (!hasRates && candles.length === 0) io.leaveOut('no_rate', rows);
  }
  if (unpaired > 0)
    io.warn(`${job.key}: no pair is known of some symbols; leaving out ${plural(unpaired, 'row')}`);
  io.leaveOut('no_pair', unpaired);
}

/** Reads numbers of a column; NaN for an empty cell. */
function readCells(batch: Batch, name: string): (row: number) => number {
  const values = getNumbers(batch, name);
  const { nulls } = getColumn(batch, name);
  return nulls
    ? (row) => (nulls[row] === 1 ? Number.NaN : (values[row] as number))
    : (row) => values[row] as number;
}

async function writeCandles(
  io: ExportIo,
  path: string,
  owner: OutputOwner,
  candles: readonly TickerCandle[],
  sourceRows: number,
  isDerived: boolean,
): Promise<void> {
  const file = new FeatherFile(io, path, owner, CANDLE_SCHEMA);
  const rows = candles.length;
  const dates = BigInt64Array.from(candles, ({ start }) => BigInt(start) * 1000n);
  const numbers = (['open', 'high', 'low', 'close'] as const).map((name) =>
    Float64Array.from(candles, (candle) => candle[name]),
  );
  const arrays = [dates, ...numbers, new Float64Array(rows)].map((values) => createFullArray(rows, values));
  await file.write(encodeRecordBatch(rows, arrays, loadLz4(), new ByteWriter()));
  await file.end(sourceRows, isDerived);
}
