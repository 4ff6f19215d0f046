import type { ArrowSchema } from '../../format/arrow/arrow-message.js';
import type { ArrowArray, EncodedRecordBatch } from '../../format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../format/byte-writer.js';
import {
  type Compress,
  createFrameCompressor,
  LZ4_SCRATCH_BYTES,
  type Lz4Exports,
} from '../../format/compressor.js';
import type { ExportIo, OutputOwner } from '../export-target.js';
import { ExportKernelMemory } from '../job-memory.js';
import { createFullArray, encodeRecordBatch, FeatherFile } from './feather-file.js';
import type { TradeRows } from './sorted-trades.js';

const field = <T extends ArrowSchema['fields'][number]['type']>(name: string, type: T) => ({
  name,
  type,
  nullable: true,
});

/** Columns of trades (docs/spec/freqtrade-files.md#trades). */
const SCHEMA: ArrowSchema = {
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
    this.#file = new FeatherFile(io, path, owner, SCHEMA);
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
