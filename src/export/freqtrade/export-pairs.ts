import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import {
  assertFilled,
  type Batch,
  getDictionary,
  getNumbers,
  getTextCodes,
  getTextColumn,
  type TextColumn,
  type TextValues,
} from '../../format/batch.js';
import {
  type Exporter,
  type ExportIo,
  type ExportJob,
  type OutputOwner,
  sameOutputError,
} from '../export-target.js';
import { CandlesFile, TradesEncoder, TradesFile } from './freqtrade-files.js';
import {
  type JobSettings,
  PAIR_ADVICE,
  pairPaths,
  parseTimeframe,
  type Timeframe,
} from './freqtrade-settings.js';
import { BUY, SELL, SortedTrades, type TradeRows } from './sorted-trades.js';

/** The order of exchange times is rarely off by more than the trades held. */
const TRADE_LIMITS: TradeLimits = { held: 1 << 18, late: 1 << 20 };

/** Creates the exporter. @param limits smaller numbers for tests. */
export function createPairExporter(limits: Partial<TradeLimits> = {}): Exporter {
  return (job, io) => exportPairs(job, io, { ...TRADE_LIMITS, ...limits });
}

/**
 * Writes trades and candles of the pairs in the sources of a job. If some trades come so late that later ones were
 * written before, all sources are read again, and the files are written with the late trades at their places.
 * @throws TickhaulError `corrupt`, `disk`, errors of the store.
 */
async function exportPairs(job: ExportJob, io: ExportIo, limits: TradeLimits): Promise<void> {
  const settings = job.settings as JobSettings;
  const days = new Set<number>(job.sources.map(({ file }) => file.day));
  const timeframes = settings.timeframes.map((name) => parseTimeframe(name));
  const encoder = new TradesEncoder();
  const readAll = async (late?: ReadonlyMap<string, SortedTrades>): Promise<JobPairs> => {
    const pairs = new JobPairs(settings, limits, (pair, symbol) => {
      const known = late && (late.get(pair) ?? new SortedTrades());
      const owner = { name: `${symbol ?? job.key} (${pair})`, advise: () => PAIR_ADVICE };
      return new PairExport(io, pair, owner, timeframes, days, known, encoder);
    });
    for (const source of job.sources)
      await io.read(source, { numberText: 'none' }, (batch) => pairs.add(batch));
    await pairs.end();
    return pairs;
  };
  const pairs = await readAll();
  const late = pairs.lateTrades();
  if (late) await readAll(late);
  io.leaveOut('no_pair', pairs.unpairedRows);
  for (const message of pairs.warnings()) io.warn(`${job.key}: ${message}`);
}

/** Numbers of trades of all pairs together. */
export interface TradeLimits {
  /** Trades that are held back until they are written. */
  readonly held: number;
  /** Late trades that fit in memory. */
  readonly late: number;
}

/** The pairs in the sources of a job: one, or those of a grouped symbol. */
class JobPairs {
  readonly #settings: JobSettings;
  readonly #limits: TradeLimits;
  readonly #createExport: (pair: string, owner: string | undefined) => PairExport;
  readonly #exports = new Map<string, PairExport>();
  /** Symbols of a grouped file, by pair. */
  readonly #owners = new Map<string, string>();
  /** Trades left out, by symbols without a pair. */
  readonly #unpaired = new Map<string, number>();

  /** @param createExport called at the first trade of each pair. @param owner symbol of a grouped file. */
  constructor(
    settings: JobSettings,
    limits: TradeLimits,
    createExport: (pair: string, owner: string | undefined) => PairExport,
  ) {
    this.#settings = settings;
    this.#limits = limits;
    this.#createExport = createExport;
  }

  /** Adds the rows of `trades`. @throws TickhaulError `corrupt` for an empty cell, and for too many late trades. */
  async add(batch: Batch): Promise<void> {
    assertFilled(batch, ['price', 'amount'], 'is empty; freqtrade needs it');
    const trades = readTrades(batch);
    const { pair } = this.#settings;
    if (pair === undefined) this.#addBySymbol(trades, batch);
    else this.#exportOf(pair).addAll(trades);
    await this.#writeHeld(batch);
  }

  /** Ends all files. */
  async end(): Promise<void> {
    for (const pair of this.#exports.values()) await pair.end();
  }

  /** Late trades by pair; undefined if there are none, so that the files are complete. */
  lateTrades(): ReadonlyMap<string, SortedTrades> | undefined {
    const late = [...this.#exports].filter(([, { late }]) => late.rows > 0);
    return late.length === 0 ? undefined : new Map(late.map(([pair, { late }]) => [pair, late]));
  }

  /** Trades left out. */
  get unpairedRows(): number {
    return [...this.#unpaired.values()].reduce((sum, rows) => sum + rows, 0);
  }

  /** What was left out, as warnings. */
  warnings(): readonly string[] {
    const unpaired = [...this.#unpaired].map(
      ([symbol, rows]) => `${symbol}: no pair is known; leaving out ${plural(rows, 'trade')}`,
    );
    return this.#exports.size === 0 ? [...unpaired, 'no trades, so there are no files'] : unpaired;
  }

  #addBySymbol(trades: TradeRows, batch: Batch): void {
    const { indices, texts } = getDictionary(batch, 'symbol');
    const exports = texts.map((text) => {
      const pair = this.#settings.pairs?.[text.toUpperCase()];
      return pair === undefined ? undefined : this.#exportOf(pair, text);
    });
    for (let row = 0; row < batch.rows; row++) {
      const index = indices[row] as number;
      const symbol = texts[index] as string;
      const known = exports[index];
      if (known) known.add(trades, row);
      else this.#unpaired.set(symbol, (this.#unpaired.get(symbol) ?? 0) + 1);
    }
  }

  /** @throws usage error for two symbols with the same pair. */
  #exportOf(pair: string, symbol = ''): PairExport {
    const owner = this.#owners.get(pair) ?? symbol;
    if (owner !== symbol) throw sameOutputError(pair, owner, { name: symbol, advise: () => PAIR_ADVICE });
    this.#owners.set(pair, owner);
    const known = this.#exports.get(pair) ?? this.#createExport(pair, symbol === '' ? undefined : symbol);
    this.#exports.set(pair, known);
    return known;
  }

  /** Writes half of the trades of the larger pairs until few enough are held back. */
  async #writeHeld({ firstLine }: Batch): Promise<void> {
    const exports = [...this.#exports.values()];
    const sum = (count: (pair: PairExport) => number): number =>
      exports.reduce((total, pair) => total + count(pair), 0);
    if (sum(({ late }) => late.rows) > this.#limits.late)
      throw new TickhaulError(
        'corrupt',
        `${firstLine?.source}: more than ${this.#limits.late} trades are far from the order of exchange times; leave the file out`,
      );
    for (let held = sum(({ rows }) => rows); held > this.#limits.held; held = sum(({ rows }) => rows)) {
      // Pairs with few trades would make small batches.
      const largest = exports.filter(({ rows }) => rows >= held / exports.length);
      for (const pair of largest) await pair.write(Math.ceil(pair.rows / 2));
    }
  }
}

function readTrades(batch: Batch): TradeRows {
  const ids = toPlainText(getTextColumn(batch, 'id'));
  return {
    timestamps: getNumbers(batch, 'timestamp'),
    prices: getNumbers(batch, 'price'),
    amounts: getNumbers(batch, 'amount'),
    sides: getTextCodes(batch, 'side', { buy: BUY, sell: SELL }),
    idOffsets: ids.offsets,
    ids: ids.bytes,
  };
}

/** The texts of all rows, one after the other; empty cells are empty texts. */
function toPlainText(column: TextColumn): TextValues {
  if (column.encoding === 'plain') return column.text;
  const { indices, nulls, dictionary } = column;
  const texts = Array.from(indices, (index, row) => {
    const isNull = nulls?.[row] === 1;
    return isNull
      ? NO_BYTES
      : dictionary.bytes.subarray(dictionary.offsets[index], dictionary.offsets[index + 1]);
  });
  const offsets = new Int32Array(texts.length + 1);
  for (const [row, text] of texts.entries()) offsets[row + 1] = (offsets[row] as number) + text.length;
  return { bytes: Uint8Array.from(Buffer.concat(texts)), offsets };
}

const NO_BYTES = new Uint8Array();

/** The files of one pair. Trades are held back for a while, and written in the order of their exchange times. */
class PairExport {
  /** Trades that came after later ones had been written. */
  readonly late = new SortedTrades();
  readonly #held = new SortedTrades();
  readonly #trades: TradesFile;
  readonly #candles: readonly CandlesFile[];
  readonly #known: SortedTrades | undefined;
  #writtenTo = Number.NEGATIVE_INFINITY;

  /**
   * @param days UTC days since the epoch whose trades are complete.
   * @param known the late trades, if the same trades were added to another export before.
   */
  constructor(
    io: ExportIo,
    pair: string,
    owner: OutputOwner,
    timeframes: readonly Timeframe[],
    days: ReadonlySet<number>,
    known: SortedTrades | undefined,
    encoder: TradesEncoder,
  ) {
    const paths = pairPaths(pair);
    this.#trades = new TradesFile(io, paths.trades, owner, encoder);
    this.#candles = timeframes.map(
      (timeframe) => new CandlesFile(io, paths.candles(timeframe.name), owner, timeframe, days),
    );
    this.#known = known;
  }

  /** Number of trades that are held back. */
  get rows(): number {
    return this.#held.rows;
  }

  add(from: TradeRows, row: number): void {
    if ((from.timestamps[row] as number) >= this.#writtenTo) this.#held.add(from, row);
    else if (!this.#known) this.late.add(from, row);
  }

  addAll(from: TradeRows): void {
    const rows = from.timestamps.length;
    const isLate = rows > 0 && (from.timestamps[0] as number) < this.#writtenTo;
    if (!isLate && this.#held.addIfSorted(from)) return;
    for (let row = 0; row < rows; row++) this.add(from, row);
  }

  /** Writes the first of the trades that are held back, at least one. */
  async write(count: number): Promise<void> {
    const trades = this.#held.take(count, this.#known);
    // A late trade with an equal time was added after those held.
    this.#writtenTo = trades.timestamps.at(-1) as number;
    await this.#write(trades);
  }

  async end(): Promise<void> {
    if (this.rows > 0) await this.write(this.rows);
    if (this.#known && this.#known.rows > 0) await this.#write(this.#known.take(this.#known.rows));
    for (const file of [this.#trades, ...this.#candles]) await file.end();
  }

  async #write(trades: TradeRows): Promise<void> {
    // The files are written once all late trades are known.
    if (this.late.rows > 0) return;
    for (const file of [this.#trades, ...this.#candles]) await file.add(trades);
  }
}
