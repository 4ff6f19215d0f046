import type { ArrowSchema } from '../../format/arrow/arrow-schema.js';
import type { ArrowArray } from '../../format/arrow/record-batch.js';
import type { ExportIo } from '../export-io.js';
import { createFullArray, createLongs, FeatherFile } from './feather-file.js';
import { BUY, SELL, TradeColumns } from './trade-columns.js';

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

const SIDE_TEXTS: Readonly<Record<number, Uint8Array>> = {
  [BUY]: Buffer.from('buy'),
  [SELL]: Buffer.from('sell'),
};
const MAX_SIDE_BYTES = 4;

/** The file with the trades of a pair. */
export class TradesFile {
  readonly #file: FeatherFile;
  /** Time of the last trade without an id, and how many of that time there were. */
  #unnamedTimestamp = Number.NaN;
  #unnamed = 0;

  constructor(io: ExportIo, path: string) {
    this.#file = new FeatherFile(io, path, SCHEMA);
  }

  /** Appends trades that are sorted by time. */
  async write(trades: TradeColumns): Promise<void> {
    const { rows, timestamps, amounts, prices } = trades;
    const named = this.#nameTrades(trades);
    const costs = new Float64Array(rows);
    for (let row = 0; row < rows; row++) costs[row] = (prices[row] as number) * (amounts[row] as number);
    await this.#file.write(rows, [
      createFullArray(
        rows,
        createLongs(rows, (row) => Math.floor((timestamps[row] as number) / 1000)),
      ),
      createFullArray(
        rows,
        named.idOffsets.subarray(0, rows + 1),
        named.ids.subarray(0, named.idOffsets[rows]),
      ),
      { length: rows, nullCount: rows, buffers: [] },
      createSides(trades),
      createFullArray(rows, prices.subarray(0, rows)),
      createFullArray(rows, amounts.subarray(0, rows)),
      createFullArray(rows, costs),
    ]);
  }

  end(): Promise<void> {
    return this.#file.end();
  }

  /** freqtrade takes trades with equal times and ids for one, so each trade without an id gets one. */
  #nameTrades(trades: TradeColumns): TradeColumns {
    const { rows, timestamps, idOffsets } = trades;
    const isUnnamed = (row: number): boolean => idOffsets[row] === idOffsets[row + 1];
    let first = 0;
    while (first < rows && !isUnnamed(first)) first++;
    if (first === rows) return trades;
    const named = new TradeColumns();
    for (let row = 0; row < rows; row++) {
      if (!isUnnamed(row)) {
        named.appendFrom(trades, row);
        continue;
      }
      const timestamp = timestamps[row] as number;
      this.#unnamed = timestamp === this.#unnamedTimestamp ? this.#unnamed + 1 : 0;
      this.#unnamedTimestamp = timestamp;
      const id = Buffer.from(`${timestamp}-${this.#unnamed}`, 'latin1');
      named.append(timestamp, 0, 0, 0, id, 0, id.length);
    }
    return named;
  }
}

function createSides({ rows, sides }: TradeColumns): ArrowArray {
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
