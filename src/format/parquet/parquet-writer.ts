import type { ByteSink } from '../byte-sink.js';
import { ByteWriter } from '../byte-writer.js';
import type { Compression } from '../compression/compressor.js';
import { encodeFileMetadata, encodeRowGroup } from './file-metadata.js';
import { PARQUET_MAGIC } from './format-constants.js';
import type { ParquetColumn } from './parquet-schema.js';
import type { EncodedRowGroup } from './row-group.js';

export interface ParquetWriter {
  /** Appends a row group; one without rows is ignored. Calls must not overlap. */
  writeRowGroup(group: EncodedRowGroup): Promise<void>;
  /** Writes the footer, with these key-value pairs. Returns rows and bytes of the whole file. */
  finish(keyValues: Readonly<Record<string, string>>): Promise<{ rows: number; bytes: number }>;
}

/**
 * Creates a writer of a Parquet file (https://github.com/apache/parquet-format), which is readable only after
 * `finish`.
 * @param columns those of the row groups.
 * @param compression that of the row groups.
 * @throws from `writeRowGroup` and `finish`: errors of the sink.
 */
export function createParquetWriter(
  sink: ByteSink,
  columns: readonly ParquetColumn[],
  compression: Compression,
): ParquetWriter {
  const rowGroups: Uint8Array[] = [];
  let rows = 0;
  let length = 0;

  const write = async (bytes: Uint8Array): Promise<void> => {
    await sink.write(bytes);
    length += bytes.length;
  };
  const writeMagicOnce = async (): Promise<void> => {
    if (length === 0) await write(PARQUET_MAGIC);
  };

  return {
    async writeRowGroup(group) {
      if (group.rows === 0) return;
      await writeMagicOnce();
      rowGroups.push(encodeRowGroup({ ...group, offset: length }, columns, compression));
      rows += group.rows;
      await write(group.bytes);
    },

    async finish(keyValues) {
      await writeMagicOnce();
      const footer = new ByteWriter();
      footer.append(encodeFileMetadata({ columns, rows, rowGroups, keyValues }));
      footer.uint32(footer.length);
      footer.append(PARQUET_MAGIC);
      await write(footer.written());
      return { rows, bytes: length };
    },
  };
}
