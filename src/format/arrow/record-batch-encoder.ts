import { type Compression, loadCompressor } from '../compression/compressor.js';
import { type ColumnBatchEncoder, createColumnKernel } from '../kernel/column-kernel.js';
import { type ColumnMemory, ScratchRegion, type TextLocation } from '../kernel/column-memory.js';
import { type BatchKernel, COLUMN_BATCHES, type KernelJob, type OutputOptions } from '../output-format.js';
import { type BufferCompression, type EncodedRecordBatch, RecordBatchBuilder } from './record-batch.js';

/** Numbers of CompressionType (Message.fbs). */
const CODECS: Readonly<Partial<Record<Compression, number>>> = { lz4: 0, zstd: 1 };

/** Loads the compression of buffers; undefined for none. */
async function loadBufferCompression(compression: Compression): Promise<BufferCompression | undefined> {
  const codec = CODECS[compression];
  return codec === undefined ? undefined : { codec, compress: await loadCompressor(compression) };
}

/** Converts CSV text to record batches. */
export async function createRecordBatchKernel(job: KernelJob): Promise<BatchKernel> {
  const compression = await loadBufferCompression(job.options.compression);
  return createColumnKernel(job, COLUMN_BATCHES, (memory) =>
    createRecordBatchEncoder(memory, job.options.numbers, compression),
  );
}

/** Most cells are smaller. */
const USUAL_CELL_BYTES = 24;

/** Addresses and sizes of the buffers of a column. */
type Regions = readonly (readonly [at: number, bytes: number])[];

function createRecordBatchEncoder(
  memory: ColumnMemory,
  numbers: OutputOptions['numbers'],
  compression: BufferCompression | undefined,
): ColumnBatchEncoder<EncodedRecordBatch> {
  const { kernel } = memory;
  const validity = new ScratchRegion(memory);
  const values = new ScratchRegion(memory);
  const offsets = new ScratchRegion(memory);

  const packBooleans = (region: ScratchRegion, bytes: number, flip: 0 | 1): Regions[number] => {
    // The kernel writes 16 bits at a time.
    const at = region.at(Math.ceil(memory.rows / 16) * 2);
    kernel.packBooleans(bytes, at, memory.rows, flip);
    return [at, Math.ceil(memory.rows / 8)];
  };

  const listTexts = ({ bytes, offsets, count }: TextLocation): Regions => [
    [offsets, 4 * (count + 1)],
    [bytes, memory.readInt(offsets + 4 * count)],
  ];

  /** Copies the text of each row, which the column has as positions in a dictionary. */
  const expandTexts = (column: number, dictionary: TextLocation): Regions => {
    const { rows } = memory;
    const nulls = kernel.getNullCount(column) > 0 ? kernel.getNulls(column) : 0;
    const indices = kernel.getLane(column);
    const toOffsets = offsets.at(4 * (rows + 1));
    const size = kernel.storeOffsets(dictionary.offsets, indices, nulls, rows, toOffsets);
    if (size < 0) throw memory.createFullError();
    const to = values.at(size);
    kernel.gatherTexts(dictionary.bytes, dictionary.offsets, indices, rows, to, toOffsets);
    return listTexts({ bytes: to, offsets: toOffsets, count: rows });
  };

  const encodeValues = (column: number): Regions => {
    const { rows, schema } = memory;
    const kind = schema[column]?.kind;
    const lane = kernel.getLane(column) >>> 0;
    if (kind === 'boolean') return [packBooleans(values, lane, 0)];
    if (kind === 'time' || kind === 'integer') kernel.convertToLongs(lane, rows);
    else if (kind === 'text' || numbers === 'string') {
      const texts = memory.getTexts(column);
      if (kind === 'text' && !kernel.isPlain(column)) return expandTexts(column, texts);
      if (texts.count !== rows) throw new Error('the text of numbers is missing');
      return listTexts(texts);
    }
    return [[lane, 8 * rows]];
  };

  return (out) => {
    const { rows } = memory;
    const builder = new RecordBatchBuilder(out, compression);
    // Growing step by step would copy the first batch several times; untouched pages take no memory.
    out.reserve(rows * memory.schema.length * USUAL_CELL_BYTES);
    for (const column of memory.schema.keys()) {
      const nullCount = kernel.getNullCount(column);
      const nulls: Regions[number] =
        nullCount > 0 ? packBooleans(validity, kernel.getNulls(column) >>> 0, 1) : [0, 0];
      const regions = [nulls, ...encodeValues(column)];
      const buffers = regions.map(([at, bytes]) => memory.bytes.subarray(at, at + bytes));
      builder.add({ length: rows, nullCount, buffers });
    }
    memory.clear();
    return builder.finish(rows);
  };
}
