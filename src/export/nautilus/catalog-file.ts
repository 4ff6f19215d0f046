import { encodeSchemaMessage } from '../../format/arrow/arrow-message.js';
import { ByteWriter } from '../../format/byte-writer.js';
import type { ByteSink } from '../../format/output-format.js';
import { ARROW_SCHEMA_KEY } from '../../format/parquet/arrow-hint.js';
import { encodeFixedWidth } from '../../format/parquet/encode-numbers.js';
import {
  type EncodableValues,
  encodeDictionaryIndices,
  encodeTexts,
  maxDeltaBytes,
} from '../../format/parquet/encode-texts.js';
import { Encoding } from '../../format/parquet/parquet-schema.js';
import {
  createParquetWriter,
  type EncodedRowGroup,
  type EncodedValues,
  type ParquetWriter,
  type ValueBounds,
  writeColumnChunk,
} from '../../format/parquet/parquet-writer.js';
import type { ExportOutput } from '../export-target.js';
import type { SpillFile } from '../job-memory.js';
import {
  type CatalogColumn,
  type FixedPrecision,
  laneWidth,
  toCatalogArrowFields,
  toCatalogParquetColumns,
} from './catalog-columns.js';
import type { KernelMemory, LaneSet } from './lane-memory.js';

/** As the catalog itself writes its files. */
export const CATALOG_COMPRESSION = 'snappy';

/** Encodes rows as row groups. */
export class RowGroupLanes {
  readonly columns: readonly CatalogColumn[];
  readonly #memory: KernelMemory;
  readonly #precision: FixedPrecision;
  readonly #out = new ByteWriter();

  constructor(memory: KernelMemory, columns: readonly CatalogColumn[], precision: FixedPrecision) {
    this.#memory = memory;
    this.columns = columns;
    this.#precision = precision;
  }

  /** The bytes are valid until the next call. */
  encode(lanes: LaneSet): EncodedRowGroup {
    const { rows } = lanes;
    const out = this.#out;
    out.length = 0;
    const columns = this.columns.map((column, i) => {
      const values = encodeLane(this.#memory, column, this.#precision, lanes.at(i), rows);
      return writeColumnChunk(out, values, rows, (bytes) => this.#memory.compress(bytes));
    });
    return { rows, bytes: out.written(), columns };
  }
}

/** What a file has, besides its rows. */
export interface CatalogFormat {
  readonly columns: readonly CatalogColumn[];
  readonly precision: FixedPrecision;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A file that is being written. Its path depends on its last row. Calls must not overlap. */
export interface CatalogFile {
  append(group: EncodedRowGroup): Promise<void>;
  /** @param path in the output folder. @param sourceRows as of `ExportOutput.end`. */
  end(path: string, sourceRows: number): Promise<void>;
}

/** Writes row groups to an output, which is renamed at its end. */
export class DirectCatalogFile implements CatalogFile {
  readonly #format: CatalogFormat;
  readonly #output: ExportOutput;
  readonly #writer: ParquetWriter;
  #rows = 0;

  constructor(format: CatalogFormat, output: ExportOutput) {
    this.#format = format;
    this.#output = output;
    this.#writer = createWriter(format, output);
  }

  append(group: EncodedRowGroup): Promise<void> {
    this.#rows += group.rows;
    return this.#writer.writeRowGroup(group);
  }

  async end(path: string, sourceRows: number): Promise<void> {
    await finish(this.#writer, this.#format);
    this.#output.end(this.#rows, sourceRows, { path });
  }
}

/** Collects row groups in a spill, which several files can share, and copies them to the output at the end. */
export class SpilledCatalogFile implements CatalogFile {
  readonly #format: CatalogFormat;
  readonly #spill: SpillFile;
  readonly #createOutput: (path: string) => Promise<ExportOutput>;
  readonly #groups: (Omit<EncodedRowGroup, 'bytes'> & { readonly at: number; readonly length: number })[] =
    [];
  #rows = 0;

  constructor(
    format: CatalogFormat,
    spill: SpillFile,
    createOutput: (path: string) => Promise<ExportOutput>,
  ) {
    this.#format = format;
    this.#spill = spill;
    this.#createOutput = createOutput;
  }

  async append({ bytes, ...group }: EncodedRowGroup): Promise<void> {
    this.#groups.push({ ...group, at: this.#spill.bytes, length: bytes.length });
    this.#rows += group.rows;
    await this.#spill.write(bytes);
  }

  async end(path: string, sourceRows: number): Promise<void> {
    const output = await this.#createOutput(path);
    const writer = createWriter(this.#format, output);
    for (const { at, length, ...group } of this.#groups) {
      const bytes = new Uint8Array(length);
      await this.#spill.read(bytes, at);
      await writer.writeRowGroup({ ...group, bytes });
    }
    await finish(writer, this.#format);
    output.end(this.#rows, sourceRows);
    // There can be thousands of files.
    this.#groups.length = 0;
  }
}

function createWriter({ columns, precision }: CatalogFormat, sink: ByteSink): ParquetWriter {
  return createParquetWriter(sink, toCatalogParquetColumns(columns, precision), CATALOG_COMPRESSION);
}

async function finish(writer: ParquetWriter, { columns, precision, metadata }: CatalogFormat): Promise<void> {
  const fields = toCatalogArrowFields(columns, precision);
  const schema = Buffer.from(encodeSchemaMessage({ fields, metadata })).toString('base64');
  await writer.finish({ ...metadata, [ARROW_SCHEMA_KEY]: schema });
}

/** Encodes the values of a column at an address. Each is valid until the next one is encoded. */
function encodeLane(
  memory: KernelMemory,
  column: CatalogColumn,
  precision: FixedPrecision,
  lane: number,
  rows: number,
): EncodedValues {
  const values = encodeValues(memory, column, precision, lane, rows);
  return {
    ...values,
    statistics: { nullCount: 0, bounds: values.bounds },
    page(start, end) {
      const from = memory.scratch.body.at(values.room(start, end));
      const to = values.write(from, start, end) >>> 0;
      return memory.bytes.subarray(from, to);
    },
  };
}

function encodeValues(
  memory: KernelMemory,
  column: CatalogColumn,
  precision: FixedPrecision,
  lane: number,
  rows: number,
): EncodableValues {
  switch (column.lane) {
    case 'fixed':
      return encodeFixed(memory, lane, rows, laneWidth(column, precision));
    case 'byte':
      return encodeBytes(memory, lane, rows, column.type === 'uint64' ? 8 : 4);
    case 'time':
      return encodeTimes(memory, lane, rows);
    case 'id':
      return encodeIds(memory, lane, rows);
  }
}

/** Readers do not agree on the order of byte arrays of fixed length, so there are no bounds. */
function encodeFixed(memory: KernelMemory, lane: number, count: number, width: number): EncodableValues {
  const { kernel, scratch } = memory;
  const find = width === 16 ? kernel.findDistinctWide : kernel.findDistinctDoubles;
  return encodeFixedWidth(memory, scratch, { lane, count, width, find });
}

/** Integers below 256, stored in `width` bytes. */
function encodeBytes(memory: KernelMemory, lane: number, rows: number, width: number): EncodableValues {
  const { kernel, scratch } = memory;
  const distinct = scratch.distinct.at(256 * width);
  const indices = scratch.indices.at(4 * rows);
  const size = kernel.findDistinctBytes(lane, rows, width, distinct, indices);
  const bytes = memory.bytes.subarray(distinct, distinct + width * size);
  return {
    dictionary: { bytes, size },
    valueSize: width,
    bounds: byteBounds(bytes, width),
    ...encodeDictionaryIndices(kernel, indices, size),
  };
}

function byteBounds(distinct: Buffer, width: number): ValueBounds {
  const values = Array.from({ length: distinct.length / width }, (_, i) => distinct[i * width] as number);
  const bound = (value: number): Uint8Array => {
    const bytes = new Uint8Array(width);
    bytes[0] = value;
    return bytes;
  };
  return { min: bound(Math.min(...values)), max: bound(Math.max(...values)) };
}

function encodeTimes(memory: KernelMemory, lane: number, rows: number): EncodableValues {
  const { kernel } = memory;
  kernel.findLongRange(lane, rows);
  const bound = ({ value }: { readonly value: bigint }): Uint8Array =>
    new Uint8Array(BigInt64Array.of(value).buffer);
  return {
    encoding: Encoding.deltaBinaryPacked,
    dictionary: undefined,
    valueSize: 8,
    bounds: { min: bound(kernel.minLong), max: bound(kernel.maxLong) },
    room: (start, end) => maxDeltaBytes(end - start),
    write: (out, start, end) => kernel.writeDeltaLongs(out, lane, start, end, rows),
  };
}

function encodeIds(memory: KernelMemory, lane: number, rows: number): EncodableValues {
  const width = laneWidth({ lane: 'id' }, 128);
  const bytes = memory.buffer('ids', rows * (width - 1));
  const offsets = memory.buffer('id offsets', 4 * (rows + 1));
  memory.kernel.readIdSlots(lane, rows, bytes, offsets);
  return encodeTexts(memory, memory.scratch, { bytes, offsets, count: rows });
}
