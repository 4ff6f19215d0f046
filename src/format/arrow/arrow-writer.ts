import { Builder } from 'flatbuffers';
import { VERSION } from '../../base/packages.js';
import { ByteWriter } from '../byte-writer.js';
import type { ByteSink } from '../output-format.js';
import {
  type ArrowSchema,
  alignLength,
  BROKEN_MESSAGE,
  END_OF_STREAM,
  encodeSchemaMessage,
  METADATA_VERSION,
  writeArrowSchema,
  writeKeyValues,
  writeStructs,
} from './arrow-message.js';
import type { EncodedRecordBatch } from './record-batch-encoder.js';

/** Begins and ends an IPC file. */
export const ARROW_MAGIC = Buffer.from('ARROW1');

/** Keys of the footer's metadata. The number of rows is otherwise only in the messages of all batches. */
export const FOOTER_KEYS = { createdBy: 'created_by', rows: 'rows' } as const;

export interface ArrowWriter {
  /** Appends a batch; one without rows is ignored. Calls must not overlap. */
  writeBatch(batch: EncodedRecordBatch): Promise<void>;
  /**
   * Writes the end.
   * @param metadata pairs that are added to the schema in the footer of a file; a stream has none.
   * @returns rows and bytes of the whole output.
   */
  finish(metadata?: Readonly<Record<string, string>>): Promise<{ rows: number; bytes: number }>;
  /** Ends a stream that lacks rows so that readers fail, unless it has not begun. */
  breakOff(): Promise<void>;
}

/** Position of a message in a file (File.fbs). */
interface Block {
  readonly offset: number;
  readonly messageLength: number;
  readonly bodyLength: number;
}

/**
 * Writes Arrow IPC (https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc):
 * a stream, or a file with random access, which is also called Feather version 2.
 * @throws from `writeBatch` and `finish`: errors of the sink.
 */
export function createArrowWriter(
  sink: ByteSink,
  schema: ArrowSchema,
  container: 'file' | 'stream',
): ArrowWriter {
  const blocks: Block[] = [];
  let rows = 0;
  let length = 0;

  const write = async (bytes: Uint8Array): Promise<void> => {
    await sink.write(bytes);
    length += bytes.length;
  };
  const writeStartOnce = async (): Promise<void> => {
    if (length > 0) return;
    const padding = alignLength(ARROW_MAGIC.length) - ARROW_MAGIC.length;
    const magic = container === 'file' ? [ARROW_MAGIC, Buffer.alloc(padding)] : [];
    await write(Buffer.concat([...magic, encodeSchemaMessage(schema)]));
  };

  return {
    async writeBatch({ rows: batchRows, message, bytes }) {
      if (batchRows === 0) return;
      await writeStartOnce();
      blocks.push({ offset: length, messageLength: message.length, bodyLength: bytes.length });
      rows += batchRows;
      await write(message);
      if (bytes.length > 0) await write(bytes);
    },

    async finish(metadata) {
      await writeStartOnce();
      const end = new ByteWriter();
      end.append(END_OF_STREAM);
      if (container === 'file') {
        const footer = encodeFooter(
          { ...schema, metadata: { ...schema.metadata, ...metadata } },
          blocks,
          rows,
        );
        end.append(footer);
        end.uint32(footer.length);
        end.append(ARROW_MAGIC);
      }
      await write(end.written());
      return { rows, bytes: length };
    },

    async breakOff() {
      if (length > 0) await write(BROKEN_MESSAGE);
    },
  };
}

function encodeFooter(schema: ArrowSchema, blocks: readonly Block[], rows: number): Uint8Array {
  const builder = new Builder(1024);
  const schemaOffset = writeArrowSchema(builder, schema);
  const blocksOffset = writeStructs(builder, 24, blocks, ({ offset, messageLength, bodyLength }) => {
    builder.writeInt64(BigInt(bodyLength));
    builder.pad(4);
    builder.writeInt32(messageLength);
    builder.writeInt64(BigInt(offset));
  });
  const metadata = writeKeyValues(builder, {
    [FOOTER_KEYS.createdBy]: `tickhaul version ${VERSION}`,
    [FOOTER_KEYS.rows]: String(rows),
  });
  builder.startObject(5);
  builder.addFieldOffset(1, schemaOffset, 0);
  builder.addFieldOffset(3, blocksOffset, 0);
  builder.addFieldOffset(4, metadata, 0);
  builder.addFieldInt16(0, METADATA_VERSION, 0);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}
