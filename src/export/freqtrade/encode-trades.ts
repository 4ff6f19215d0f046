import type { ArrowArray, EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import { createFullArray, createLongs, encodeRecordBatch } from './feather-file.js';
import { BUY, SELL, type TradeRows } from './trade-columns.js';

/** Trades whose columns are no longer than them. */
export interface TradeBatch extends TradeRows {
  readonly rows: number;
}

/** Encodes the arrays of trades (docs/spec/freqtrade-files.md#trades), in the order of the file's fields. */
export function encodeTrades(trades: TradeBatch): EncodedRecordBatch {
  const { rows, timestamps, idOffsets, ids, prices, amounts } = trades;
  const milliseconds = createLongs(rows, (row) => Math.floor((timestamps[row] as number) / 1000));
  const costs = new Float64Array(rows);
  for (let row = 0; row < rows; row++) costs[row] = (prices[row] as number) * (amounts[row] as number);
  return encodeRecordBatch(rows, [
    createFullArray(rows, milliseconds),
    createFullArray(rows, idOffsets, ids),
    { length: rows, nullCount: rows, buffers: [] },
    createSides(trades),
    ...[prices, amounts, costs].map((values) => createFullArray(rows, values)),
  ]);
}

const SIDE_TEXTS: Readonly<Record<number, Uint8Array>> = {
  [BUY]: Buffer.from('buy'),
  [SELL]: Buffer.from('sell'),
};
const MAX_SIDE_BYTES = 4;

function createSides({ rows, sides }: TradeBatch): ArrowArray {
  const validity = new Uint8Array(Math.ceil(rows / 8));
  const offsets = new Int32Array(rows + 1);
  const bytes = new Uint8Array(MAX_SIDE_BYTES * rows);
  let nullCount = 0;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const text = SIDE_TEXTS[sides[row] as number];
    if (text) {
      validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7));
      for (let i = 0; i < text.length; i++) bytes[at++] = text[i] as number;
    } else nullCount++;
    offsets[row + 1] = at;
  }
  const full = createFullArray(rows, offsets, bytes.subarray(0, at));
  return nullCount === 0 ? full : { ...full, nullCount, buffers: [validity, ...full.buffers.slice(1)] };
}
