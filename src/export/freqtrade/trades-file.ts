import type { ArrowSchema } from '../../format/arrow/arrow-message.js';
import { ByteWriter } from '../../format/byte-writer.js';
import type { ExportIo, OutputOwner } from '../export-target.js';
import { FeatherFile } from './feather-file.js';
import type { TradeRows } from './trade-columns.js';
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
