import type { ArrowSchema } from '../../format/arrow/arrow-message.js';
import { type ArrowWriter, createArrowWriter } from '../../format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  type EncodedRecordBatch,
  RecordBatchBuilder,
} from '../../format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../format/byte-writer.js';
import {
  type Compress,
  createFrameCompressor,
  LZ4_SCRATCH_BYTES,
  type Lz4Exports,
  loadLz4,
} from '../../format/compressor.js';
import type { ExportIo, ExportOutput, OutputOwner } from '../export-target.js';
import { ExportKernelMemory } from '../job-memory.js';
import type { Timeframe } from './freqtrade-settings.js';
import type { TradeRows } from './sorted-trades.js';

/** Number of LZ4 frames in CompressionType (Message.fbs). */
const LZ4_FRAME = 0;

/** A Feather file (Arrow IPC) with LZ4 frames, as pandas writes it. It is created with its first rows. */
export class FeatherFile {
  readonly #io: ExportIo;
  readonly #path: string;
  readonly #owner: OutputOwner;
  readonly #schema: ArrowSchema;
  #open: { readonly output: ExportOutput; readonly writer: ArrowWriter } | undefined;

  /** @param path relative to the output folder. */
  constructor(io: ExportIo, path: string, owner: OutputOwner, schema: ArrowSchema) {
    this.#io = io;
    this.#path = path;
    this.#owner = owner;
    this.#schema = schema;
  }

  /** Appends a batch of at least one row. */
  async write(batch: EncodedRecordBatch): Promise<void> {
    this.#open ??= await this.#create();
    await this.#open.writer.writeBatch(batch);
  }

  /** As `ExportOutput.end`. @param sourceRows by default, one for each row. */
  async end(sourceRows?: number, isDerived = false): Promise<void> {
    if (!this.#open) return;
    const { rows } = await this.#open.writer.finish();
    this.#open.output.end(rows, sourceRows ?? rows, { isDerived });
  }

  async #create() {
    const output = await this.#io.create(this.#path, this.#owner);
    return { output, writer: createArrowWriter(output, this.#schema, 'file') };
  }
}

/**
 * Encodes a batch of at least one row.
 * @param arrays one for each field.
 * @param compress compresses to LZ4 frames.
 * @param out receives the bytes, which are valid until it is written to again.
 */
function encodeRecordBatch(
  rows: number,
  arrays: readonly ArrowArray[],
  compress: Compress,
  out: ByteWriter,
): EncodedRecordBatch {
  const builder = new RecordBatchBuilder(out, { codec: LZ4_FRAME, compress });
  for (const array of arrays) builder.add(array);
  return builder.finish(rows);
}

const NO_BYTES = new Uint8Array();

/** An array without nulls. @param buffers those of the type, without the validity. */
function createFullArray(length: number, ...buffers: readonly ArrayBufferView[]): ArrowArray {
  const bytes = buffers.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return { length, nullCount: 0, buffers: [NO_BYTES, ...bytes] };
}

const field = <T extends ArrowSchema['fields'][number]['type']>(name: string, type: T) => ({
  name,
  type,
  nullable: true,
});

const DAY_MICROSECONDS = 86_400e6;
/** A grouped file has many pairs, each with its candles in memory. */
const BATCH_CANDLES = 2048;

/** Columns of candles (docs/spec/freqtrade-files.md#candles). */
export const CANDLE_SCHEMA: ArrowSchema = {
  fields: [
    field('date', { name: 'timestamp', unit: 'ns', timezone: 'UTC' }),
    ...['open', 'high', 'low', 'close', 'volume'].map((name) => field(name, { name: 'double' })),
  ],
};

/** The file with the candles of a pair and timeframe. */
export class CandlesFile {
  readonly #file: FeatherFile;
  readonly #interval: number;
  readonly #days: ReadonlySet<number>;
  /** Starts of candles in microseconds. The last candle is open. */
  readonly #starts = new Float64Array(BATCH_CANDLES);
  readonly #opens = new Float64Array(BATCH_CANDLES);
  readonly #highs = new Float64Array(BATCH_CANDLES);
  readonly #lows = new Float64Array(BATCH_CANDLES);
  readonly #closes = new Float64Array(BATCH_CANDLES);
  readonly #volumes = new Float64Array(BATCH_CANDLES);
  #rows = 0;
  /** Trades in candles. */
  #trades = 0;
  #end = Number.NEGATIVE_INFINITY;
  /** Whether the open candle lies in a given day. */
  #isGiven = false;

  /** @param days UTC days since the epoch whose trades are complete; candles of others are left out. */
  constructor(
    io: ExportIo,
    path: string,
    owner: OutputOwner,
    { microseconds }: Timeframe,
    days: ReadonlySet<number>,
  ) {
    this.#file = new FeatherFile(io, path, owner, CANDLE_SCHEMA);
    this.#interval = microseconds;
    this.#days = days;
  }

  /** Adds trades that are sorted by time. */
  async add(trades: TradeRows): Promise<void> {
    for (let row = 0; row < trades.timestamps.length; ) {
      if ((trades.timestamps[row] as number) >= this.#end) {
        if (this.#rows === BATCH_CANDLES) await this.#flush();
        this.#start(trades.timestamps[row] as number, trades.prices[row] as number);
      }
      row = this.#update(trades, row);
    }
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#file.end(this.#trades, true);
  }

  #start(timestamp: number, price: number): void {
    const start = Math.floor(timestamp / this.#interval) * this.#interval;
    this.#end = start + this.#interval;
    this.#isGiven = this.#days.has(Math.floor(start / DAY_MICROSECONDS));
    if (!this.#isGiven) return;
    const row = this.#rows++;
    this.#starts[row] = start;
    this.#opens[row] = price;
    this.#highs[row] = price;
    this.#lows[row] = price;
    this.#volumes[row] = 0;
  }

  /** Adds the trades from `first` on that belong to the open candle. @returns the row of the next one. */
  #update({ timestamps, prices, amounts }: TradeRows, first: number): number {
    const at = this.#rows - 1;
    const end = this.#end;
    let high = this.#highs[at] as number;
    let low = this.#lows[at] as number;
    let volume = this.#volumes[at] as number;
    let row = first;
    for (; row < timestamps.length && (timestamps[row] as number) < end; row++) {
      const price = prices[row] as number;
      if (price > high) high = price;
      if (price < low) low = price;
      volume += amounts[row] as number;
    }
    if (!this.#isGiven) return row;
    this.#trades += row - first;
    this.#highs[at] = high;
    this.#lows[at] = low;
    this.#closes[at] = prices[row - 1] as number;
    this.#volumes[at] = volume;
    return row;
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = 0;
    if (rows === 0) return;
    const columns = [this.#starts, this.#opens, this.#highs, this.#lows, this.#closes, this.#volumes];
    const [starts = [], ...numbers] = columns.map((values) => values.subarray(0, rows));
    await this.#file.write(encodeCandles(starts, numbers));
  }
}

/** Encodes candles. @param starts microseconds since the epoch. @param numbers columns after the date, in their order. */
export function encodeCandles(
  starts: ArrayLike<number>,
  numbers: readonly Float64Array[],
): EncodedRecordBatch {
  const dates = BigInt64Array.from(starts, (start) => BigInt(start) * 1000n);
  const arrays = [dates, ...numbers].map((values) => createFullArray(starts.length, values));
  return encodeRecordBatch(starts.length, arrays, loadLz4(), new ByteWriter());
}

/** Columns of trades (docs/spec/freqtrade-files.md#trades). */
const TRADE_SCHEMA: ArrowSchema = {
  fields: [
    field('timestamp', { name: 'int', bits: 64, isSigned: true }),
    field('id', { name: 'utf8' }),
    field('type', { name: 'null' }),
    field('side', { name: 'utf8' }),
    ...['price', 'amount', 'cost'].map((name) => field(name, { name: 'double' })),
  ],
};

/** The file with the trades of a pair. */
export class TradesFile {
  readonly #file: FeatherFile;
  readonly #encoder: TradesEncoder;
  /** Time of the last trade without an id, and how many of that time there were before it. */
  #unnamedTimestamp = Number.NaN;
  #unnamed = 0;

  constructor(io: ExportIo, path: string, owner: OutputOwner, encoder: TradesEncoder) {
    this.#file = new FeatherFile(io, path, owner, TRADE_SCHEMA);
    this.#encoder = encoder;
  }

  /** Adds trades, at least one, that are sorted by time. */
  async add(trades: TradeRows): Promise<void> {
    await this.#file.write(this.#encoder.encode(this.#nameTrades(trades)));
  }

  end(): Promise<void> {
    return this.#file.end();
  }

  /** freqtrade takes trades with equal times and ids for one, so each trade without an id gets one. */
  #nameTrades(trades: TradeRows): TradeRows {
    const { timestamps, idOffsets, ids } = trades;
    if (!hasEmptyText(idOffsets)) return trades;
    const named = new ByteWriter(ids.length);
    const offsets = new Int32Array(idOffsets.length);
    for (let row = 0; row < timestamps.length; row++) {
      const id = ids.subarray(idOffsets[row], idOffsets[row + 1]);
      named.append(id.length > 0 ? id : this.#createId(timestamps[row] as number));
      offsets[row + 1] = named.length;
    }
    return { ...trades, idOffsets: offsets, ids: named.written() };
  }

  #createId(timestamp: number): Uint8Array {
    this.#unnamed = timestamp === this.#unnamedTimestamp ? this.#unnamed + 1 : 0;
    this.#unnamedTimestamp = timestamp;
    return Buffer.from(`${timestamp}-${this.#unnamed}`, 'latin1');
  }
}

function hasEmptyText(offsets: Int32Array): boolean {
  for (let i = 1; i < offsets.length; i++) if (offsets[i] === offsets[i - 1]) return true;
  return false;
}

const MAX_SIDE_BYTES = 4;
/** Room for the bytes of most batches; untouched pages take no memory. */
const OUT_BYTES = 8 * 1024 * 1024;

/** Encodes trades as record batches (docs/spec/freqtrade-files.md#trades). */
export class TradesEncoder {
  readonly #memory = new TradesMemory();
  readonly #out = new ByteWriter(OUT_BYTES);

  /** Encodes at least one trade. The bytes are valid until the next call. */
  encode(trades: TradeRows): EncodedRecordBatch {
    const memory = this.#memory;
    const { kernel } = memory;
    const rows = trades.timestamps.length;
    const firstId = trades.idOffsets[0] as number;
    const timestamps = memory.load('timestamps', trades.timestamps);
    const prices = memory.load('prices', trades.prices);
    const amounts = memory.load('amounts', trades.amounts);
    const sides = memory.load('sides', trades.sides);
    const idOffsets = memory.load('id offsets', trades.idOffsets);
    const ids = memory.load('ids', trades.ids.subarray(firstId, trades.idOffsets[rows]));
    const milliseconds = memory.buffer('milliseconds', 8 * rows);
    const costs = memory.buffer('costs', 8 * rows);
    const validity = memory.buffer('validity', 2 * Math.ceil(rows / 16));
    const sideOffsets = memory.buffer('side offsets', 4 * (rows + 1));
    const sideTexts = memory.buffer('side texts', MAX_SIDE_BYTES * rows);
    kernel.convertToMilliseconds(timestamps, rows, milliseconds);
    kernel.shift(idOffsets, rows + 1, -firstId);
    kernel.multiply(prices, amounts, rows, costs);
    const nullCount = kernel.writeSides(sides, rows, sideOffsets, sideTexts);
    kernel.packBooleans(sides, validity, rows, 0);

    const { bytes } = memory;
    const view = (at: number, length: number): Uint8Array => bytes.subarray(at, at + length);
    const long = (at: number): ArrowArray => createFullArray(rows, view(at, 8 * rows));
    const text = (offsets: number, at: number): ArrowArray =>
      createFullArray(rows, view(offsets, 4 * (rows + 1)), view(at, bytes.readInt32LE(offsets + 4 * rows)));
    const side = text(sideOffsets, sideTexts);
    const [, ...sideBuffers] = side.buffers;
    return encodeRecordBatch(
      rows,
      [
        long(milliseconds),
        text(idOffsets, ids),
        { length: rows, nullCount: rows, buffers: [] },
        nullCount === 0
          ? side
          : { ...side, nullCount, buffers: [view(validity, Math.ceil(rows / 8)), ...sideBuffers] },
        ...[prices, amounts, costs].map(long),
      ],
      memory.compress,
      this.#out,
    );
  }
}

/** Exports of assembly/trades-kernel.ts, where they are documented. */
interface TradesExports extends Lz4Exports {
  allocate(bytes: bigint): number;
  packBooleans(bytes: number, out: number, count: number, flip: 0 | 1): void;
  convertToMilliseconds(times: number, count: number, out: number): void;
  multiply(a: number, b: number, count: number, out: number): void;
  shift(values: number, count: number, by: number): void;
  writeSides(sides: number, count: number, offsets: number, texts: number): number;
}

/** Memory of the kernel. */
class TradesMemory extends ExportKernelMemory<TradesExports> {
  /** Compresses bytes of this memory to LZ4 frames, each valid until the next call. */
  readonly compress: Compress;

  constructor() {
    super(new URL('./trades-kernel.wasm', import.meta.url), 'trades');
    const scratch = this.allocate(LZ4_SCRATCH_BYTES);
    this.compress = createFrameCompressor(this, scratch, (block) => block.byteOffset);
  }

  /** Rounds up, since the last batch of a file may have twice as many trades as the others. */
  override buffer(name: string, bytes: number): number {
    return super.buffer(name, 2 ** Math.ceil(Math.log2(bytes)));
  }
}
