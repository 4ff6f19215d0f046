import { encodeSchemaMessage } from '../../format/arrow/arrow-message.js';
import { ByteWriter } from '../../format/byte-writer.js';
import type { ByteSink } from '../../format/output-format.js';
import { ARROW_SCHEMA_KEY } from '../../format/parquet/arrow-hint.js';
import {
  createParquetWriter,
  type EncodedRowGroup,
  type ParquetWriter,
  writeColumnChunk,
} from '../../format/parquet/parquet-writer.js';
import type { ExportOutput } from '../export-target.js';
import type { SpillFile } from '../job-memory.js';
import {
  type CatalogColumn,
  type FixedPrecision,
  toCatalogArrowFields,
  toCatalogParquetColumns,
} from './catalog-columns.js';
import { encodeLane } from './encode-lane.js';
import type { KernelMemory } from './kernel-memory.js';
import type { LaneSet } from './lane-set.js';

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
