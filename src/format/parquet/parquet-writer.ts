import type { ByteSink } from '../byte-sink.js';
import { ByteWriter } from './byte-writer.js';
import { encodeFileMetadata, encodeRowGroup } from './file-metadata.js';
import { PARQUET_MAGIC } from './format-constants.js';
import { toParquetColumns } from './parquet-schema.js';
import type { EncodedRowGroup, ParquetOptions } from './row-group.js';

export interface ParquetWriter {
  /** Appends a row group; one without rows leaves no trace. Calls must not overlap. */
  writeRowGroup(group: EncodedRowGroup): Promise<void>;
  /** Writes the footer, with these key-value pairs. Gives the rows and the bytes of the whole file. */
  finish(keyValues: Readonly<Record<string, string>>): Promise<{ rows: number; bytes: number }>;
}

/**
 * Writes a Parquet file: https://github.com/apache/parquet-format. It is readable only after `finish`.
 * The options are those the row groups were encoded with. Throws what the sink throws.
 */
export function createParquetWriter(sink: ByteSink, options: ParquetOptions): ParquetWriter {
  const { compression, schema } = options;
  const columns = toParquetColumns(schema, options);
  const rowGroups: Uint8Array[] = [];
  let rows = 0;
  let length = 0;

  const write = async (bytes: Uint8Array): Promise<void> => {
    await sink.write(bytes);
    length += bytes.length;
  };
  const begin = async (): Promise<void> => {
    if (length === 0) await write(PARQUET_MAGIC);
  };

  return {
    async writeRowGroup(group) {
      if (group.rows === 0) return;
      await begin();
      rowGroups.push(encodeRowGroup({ ...group, offset: length }, columns, compression));
      rows += group.rows;
      await write(group.bytes);
    },

    async finish(keyValues) {
      await begin();
      const footer = new ByteWriter();
      footer.append(encodeFileMetadata({ columns, rows, rowGroups, keyValues }));
      footer.uint32(footer.length);
      footer.append(PARQUET_MAGIC);
      await write(footer.written());
      return { rows, bytes: length };
    },
  };
}
