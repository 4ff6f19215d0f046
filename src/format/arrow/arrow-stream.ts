import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../base/errors.js';
import type { ByteSink } from '../byte-sink.js';
import type { OutputStream } from '../output-format.js';
import type { OutputOptions } from '../output-options.js';
import type { ArrowSchema } from './arrow-schema.js';
import type { ArrowWriter } from './arrow-writer.js';
import type { EncodedRecordBatch } from './record-batch.js';

/**
 * Opens an IPC stream: the schema of the first file, then the record batches of all files. If a file was not finished
 * after some of its rows, readers fail at the end.
 */
export function openArrowStream(sink: ByteSink, options: OutputOptions): OutputStream {
  let opened: { readonly schema: ArrowSchema; readonly writer: ArrowWriter } | undefined;
  const unfinished = new Set<symbol>();
  return {
    async createWriter(columns) {
      const { createArrowWriter } = await import('./arrow-writer.js');
      const { toArrowSchema } = await import('./arrow-columns.js');
      const schema = toArrowSchema(columns, options);
      opened ??= { schema, writer: createArrowWriter(sink, schema, 'stream') };
      if (!isDeepStrictEqual(schema, opened.schema))
        throw usageError(
          '-o -: this file has other columns than the first one, and an Arrow stream has one schema; convert it separately',
        );
      const { writer } = opened;
      const file = Symbol('file');
      let rows = 0;
      let bytes = 0;
      return {
        async write(encoded) {
          unfinished.add(file);
          await writer.writeBatch(encoded as EncodedRecordBatch);
          rows += encoded.rows;
          bytes += encoded.bytes.length;
        },
        async finish() {
          unfinished.delete(file);
          return { rows, bytes };
        },
      };
    },
    async end() {
      if (unfinished.size > 0) await opened?.writer.breakOff();
      else await opened?.writer.finish();
    },
  };
}
