import type { ArrowArray, EncodedRecordBatch } from '../../format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { createFullArray, encodeRecordBatch } from './feather-file.js';
import type { TradeRows } from './trade-columns.js';
import { TradesMemory } from './trades-memory.js';

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
