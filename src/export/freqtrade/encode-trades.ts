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

const MAX_SIDE_BYTES = 4;

function createSides({ rows, sides }: TradeBatch): ArrowArray {
  const validity = new Uint8Array(Math.ceil(rows / 8));
  const offsets = new Int32Array(rows + 1);
  const bytes = Buffer.alloc(MAX_SIDE_BYTES * rows);
  let nullCount = 0;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const side = sides[row];
    if (side === BUY || side === SELL) {
      validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7));
      // Characters one by one are several times as fast as a copy of a short text.
      bytes[at++] = side === BUY ? 0x62 : 0x73; // b or s
      bytes[at++] = side === BUY ? 0x75 : 0x65; // u or e
      bytes[at++] = side === BUY ? 0x79 : 0x6c; // y or l
      if (side === SELL) bytes[at++] = 0x6c; // l
    } else nullCount++;
    offsets[row + 1] = at;
  }
  const full = createFullArray(rows, offsets, bytes.subarray(0, at));
  return nullCount === 0 ? full : { ...full, nullCount, buffers: [validity, ...full.buffers.slice(1)] };
}
