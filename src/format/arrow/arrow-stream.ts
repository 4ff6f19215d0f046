import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../base/errors.js';
import type { ByteSink } from '../byte-sink.js';
import type { OutputStream } from '../output-format.js';
import type { OutputOptions } from '../output-options.js';
import type { ArrowSchema } from './arrow-schema.js';
import type { ArrowWriter } from './arrow-writer.js';
import type { EncodedRecordBatch } from './record-batch.js';

/** Opens an IPC stream: the schema of the first file, then the record batches of all files. */
export function openArrowStream(sink: ByteSink, options: OutputOptions): OutputStream {
  let opened: { readonly schema: ArrowSchema; readonly writer: ArrowWriter } | undefined;
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
      let rows = 0;
      let bytes = 0;
      return {
        async write(encoded) {
          await writer.writeBatch(encoded as EncodedRecordBatch);
          rows += encoded.rows;
          bytes += encoded.bytes.length;
        },
        finish: async () => ({ rows, bytes }),
      };
    },
    async end() {
      await opened?.writer.finish();
    },
  };
}
