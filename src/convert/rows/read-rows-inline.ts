import type { Batch, Schema } from '../../format/batch.js';
import { RowReader, type RowReaderOptions } from '../../format/csv/row-reader.js';
import type { BytesFacts, HashName } from '../../gzip/checksums.js';
import { readSource } from '../../gzip/read-source.js';
import type { Files } from '../../store/files.js';

/** What to read, as plain data, which can be posted to a thread. */
export interface RowsRequest
  extends Pick<RowReaderOptions, 'path' | 'dataType' | 'numberText' | 'allowsEmpty'> {
  /** Names of the columns to pass on, if the rows have many others; by default all. */
  readonly columns?: readonly string[] | undefined;
  /** Rows of a batch; the last one may have fewer. */
  readonly batchRows: number;
  /** Algorithm for the checksum of the compressed bytes. */
  readonly hash: HashName;
  /** As in `GzipReadOptions`. */
  readonly inflateThreads: number | undefined;
}

/** Facts about the rows of a file. */
export interface RowsFacts {
  readonly schema: Schema;
  readonly dataType: string;
  /** Lists the columns that the data type is not known to have. */
  readonly warning: string | undefined;
  /** Compressed size. */
  readonly bytes: number;
}

/** Result of a read. */
export interface RowsResult extends RowsFacts {
  /** Checksum of the compressed bytes, in hex digits. */
  readonly checksum: string;
}

export type RowsEvent =
  /** Compressed bytes. */
  | { readonly chunk: Uint8Array<ArrayBuffer> }
  | { readonly batch: Batch; readonly memory: ArrayBuffer; readonly dataType: string };

/** Receives the rows of a file. */
export interface RowsSink {
  /** A batch is valid until this returns or its promise resolves. */
  readonly onBatch: (batch: Batch, dataType: string) => void | Promise<void>;
  /** Receives the number of compressed bytes just read. */
  readonly onBytes: (count: number) => void;
}

/** Receives the rows and the compressed bytes of a file. */
export interface RowsAndBytesSink extends Pick<RowsSink, 'onBatch'> {
  /** A chunk is valid until this returns. */
  readonly onChunk: (chunk: Uint8Array) => void;
}

/**
 * Reads the rows of a day file in the calling thread to its end, in batches, in the order of the file.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file or has a bad cell, `unreadable`; errors of the store
 * and of `onBatch`; the abort reason.
 */
export async function readRowsInline(
  request: RowsRequest & Pick<RowReaderOptions, 'memories'>,
  files: Files,
  sink: RowsSink,
  signal: AbortSignal,
): Promise<RowsResult> {
  const { hash, ...rest } = request;
  const onChunk = (chunk: Uint8Array): void => sink.onBytes(chunk.length);
  const facts = await readRowsAndBytes(rest, files, { onBatch: sink.onBatch, onChunk }, signal, [hash]);
  const { schema, dataType, warning, bytes } = facts;
  return { schema, dataType, warning, bytes, checksum: facts[hash] };
}

/**
 * Reads the rows as `readRowsInline` does, and passes on the compressed bytes too.
 * @param hashes checksums of the compressed bytes to compute.
 */
export async function readRowsAndBytes<Name extends HashName = never>(
  {
    columns,
    batchRows,
    inflateThreads,
    ...options
  }: Omit<RowsRequest, 'hash'> & Pick<RowReaderOptions, 'memories'>,
  files: Files,
  { onBatch, onChunk }: RowsAndBytesSink,
  signal: AbortSignal,
  hashes: readonly Name[] = [],
): Promise<RowsFacts & BytesFacts<Name>> {
  const reader = new RowReader({ ...options, batchRows });
  const passBatches = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      const pending = onBatch(columns ? selectColumns(batch, columns) : batch, reader.dataType);
      if (pending) await pending;
    }
  };
  const onText = (text: Buffer): Promise<void> => passBatches(reader.push(text));
  const reading = { hashes, onChunk, onText, read: files.read, inflateThreads, signal };
  const content = await readSource(options.path, reading);
  await passBatches(reader.end());
  const { schema, dataType, warning } = reader;
  return { schema, dataType, warning, ...content };
}

function selectColumns(batch: Batch, names: readonly string[]): Batch {
  const isUsed = batch.schema.map(({ name }) => names.includes(name));
  const schema = batch.schema.filter((_, i) => isUsed[i]);
  return { ...batch, schema, columns: batch.columns.filter((_, i) => isUsed[i]) };
}
