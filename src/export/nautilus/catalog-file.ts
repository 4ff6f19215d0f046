import { encodeSchemaMessage } from '../../format/arrow/schema-message.js';
import type { ByteSink } from '../../format/byte-sink.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { writeColumnChunk } from '../../format/parquet/column-chunk.js';
import { createParquetWriter } from '../../format/parquet/parquet-writer.js';
import type { EncodedRowGroup } from '../../format/parquet/row-group.js';
import type { SpillFile } from '../spill-file.js';
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

/**
 * Row groups of a file, in a spill, because the file's name depends on its last row. Row groups of several files can
 * share a spill.
 */
export class SpilledRowGroups {
  rows = 0;
  readonly #groups: (Omit<EncodedRowGroup, 'bytes'> & { readonly at: number; readonly length: number })[] =
    [];

  async append({ bytes, ...group }: EncodedRowGroup, spill: SpillFile): Promise<void> {
    this.#groups.push({ ...group, at: spill.bytes, length: bytes.length });
    this.rows += group.rows;
    await spill.write(bytes);
  }

  /** Writes the file. */
  async write(
    spill: SpillFile,
    sink: ByteSink,
    columns: readonly CatalogColumn[],
    precision: FixedPrecision,
    metadata: Readonly<Record<string, string>>,
  ): Promise<void> {
    const writer = createParquetWriter(
      sink,
      toCatalogParquetColumns(columns, precision),
      CATALOG_COMPRESSION,
    );
    for (const { at, length, ...group } of this.#groups) {
      const bytes = new Uint8Array(length);
      await spill.read(bytes, at);
      await writer.writeRowGroup({ ...group, bytes });
    }
    const fields = toCatalogArrowFields(columns, precision);
    const schema = Buffer.from(encodeSchemaMessage({ fields, metadata })).toString('base64');
    await writer.finish({ ...metadata, 'ARROW:schema': schema });
  }
}
