import type { ArrowSchema } from '../../format/arrow/arrow-schema.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import type { ExportIo } from '../export-io.js';
import { FeatherFile } from './feather-file.js';
import { TradeColumns } from './trade-columns.js';
import type { TradesEncoder } from './trades-encoder.js';

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

/** A trade of which only the id matters. */
const UNNAMED = {
  timestamps: new Float64Array(1),
  prices: new Float64Array(1),
  amounts: new Float64Array(1),
  sides: new Uint8Array(1),
};

/** The file with the trades of a pair. */
export class TradesFile {
  readonly #file: FeatherFile;
  readonly #encoder: TradesEncoder;
  /** The last batch, which is encoded while further trades are read. */
  #encoding: Promise<EncodedRecordBatch> | undefined;
  /** Time of the last trade without an id, and how many of that time there were before it. */
  #unnamedTimestamp = Number.NaN;
  #unnamed = 0;

  constructor(io: ExportIo, path: string, encoder: TradesEncoder) {
    this.#file = new FeatherFile(io, path, SCHEMA);
    this.#encoder = encoder;
  }

  /** Appends trades that are sorted by time. */
  async write(trades: TradeColumns): Promise<void> {
    const { idOffsets, ids } = this.#nameTrades(trades).trim();
    const encoding = this.#encoder.encode({ rows: trades.rows, ...trades.trim(), idOffsets, ids });
    // It is awaited later.
    encoding.catch(() => {});
    await this.#writeEncoded();
    this.#encoding = encoding;
  }

  async end(): Promise<void> {
    await this.#writeEncoded();
    await this.#file.end();
  }

  async #writeEncoded(): Promise<void> {
    const encoded = await this.#encoding;
    this.#encoding = undefined;
    if (encoded) await this.#file.write(encoded);
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
        named.append(trades, row);
        continue;
      }
      const timestamp = timestamps[row] as number;
      this.#unnamed = timestamp === this.#unnamedTimestamp ? this.#unnamed + 1 : 0;
      this.#unnamedTimestamp = timestamp;
      const ids = Buffer.from(`${timestamp}-${this.#unnamed}`, 'latin1');
      named.append({ ...UNNAMED, idOffsets: Int32Array.of(0, ids.length), ids }, 0);
    }
    return named;
  }
}
