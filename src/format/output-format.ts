import type { ReadChunks } from '../base/disk-files.js';
import type {
  NUMBER_ENCODINGS,
  OutputExtension,
  OutputFormatName,
  TIME_ENCODINGS,
} from '../base/output-format-names.js';
import type { Schema } from './batch.js';
import type { Compression } from './compressor.js';
import type { FileContent } from './file-content.js';

/**
 * A format of converted files: plain facts, and functions that load the format's code when they are called. Threads
 * receive options as plain data, and look up the format by its name (output-formats.ts).
 */
export interface OutputFormat {
  /** Supported values of `--compression`; the first is the default. */
  readonly compressions: readonly [Compression, ...Compression[]];
  /** Supported values of `--times`; the first is the default. */
  readonly times: readonly [OutputOptions['times'], ...OutputOptions['times'][]];
  /** Whether `--row-group` sets the rows of a batch. */
  readonly hasRowGroups: boolean;
  /** Whether `--encodings` chooses the encodings of values. */
  readonly hasEncodings: boolean;
  /** Version of the bytes that the writer creates from the same rows (convert/provenance.ts). */
  readonly writerVersion: number;
  /** Whether files can hold metadata; if not, their provenance goes into `.tickhaul/conversions.jsonl`. */
  readonly hasMetadata: boolean;
  readonly batches: BatchLimits;
  /** File name extension, without the leading dot. */
  extension(compression: Compression): OutputExtension;
  /** Estimated size relative to the compressed CSV. */
  sizeRatio(compression: Compression): number;

  /**
   * @param location final location of the output, if it is a file.
   * @param header the header in the source's text, with its LF; undefined if there is none.
   */
  createWriter(
    sink: ByteSink,
    schema: Schema,
    options: OutputOptions,
    location?: string,
    header?: Uint8Array,
  ): Promise<OutputWriter>;
  /** Opens an output of the rows of several files in one stream. Without it, the format needs files. */
  openStream?(sink: ByteSink, options: OutputOptions): OutputStream;
  /** Creates a kernel, which encodes rows of CSV text. */
  createKernel(job: KernelJob): Promise<BatchKernel>;

  /** Reads what `verify` compares. @throws TickhaulError `corrupt` if the file is incomplete; errors of `files`. */
  readFacts(path: string, files: FileAccess, signal?: AbortSignal): Promise<OutputFacts>;
  /**
   * Summarizes a file for `inspect`.
   * @param dataType data type by the file's name, for a format that has no types.
   * @throws TickhaulError `corrupt`; errors of `files`.
   */
  inspect(path: string, files: FileAccess, signal: AbortSignal, dataType?: string): Promise<FileContent>;
}

/** Writes encoded batches in their order. Calls must not overlap. */
export interface OutputWriter {
  write(encoded: EncodedBatch): Promise<void>;
  /** @param metadata key-value pairs that a format with metadata keeps. Returns rows and bytes of the whole output. */
  finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number; bytes: number }>;
}

/** Rows of files, one after the other, in one stream. */
export interface OutputStream {
  /**
   * Creates the writer of the next file, when the previous one is finished.
   * @param header as for `OutputFormat.createWriter`.
   * @throws TickhaulError `usage` if a stream cannot have these columns after the previous ones.
   */
  createWriter(schema: Schema, header?: Uint8Array): Promise<OutputWriter>;
  /** Writes the end. Call it if all files were written, also if some were written in part. */
  end(): Promise<void>;
}

export interface OutputFacts {
  /** Size of the file. */
  readonly bytes: number;
  readonly rows: number;
  /** Metadata of the file; undefined if the format has none. */
  readonly keyValues?: Readonly<Record<string, string>> | undefined;
}

/** Options of a conversion. Plain data, which can be posted to other threads. */
export interface OutputOptions {
  readonly format: OutputFormatName;
  readonly compression: Compression;
  /** Rows per row group; undefined for a default that depends on the schema. */
  readonly rowGroup?: number | undefined;
  readonly times: (typeof TIME_ENCODINGS)[number];
  readonly numbers: (typeof NUMBER_ENCODINGS)[number];
  /** Maximum text of a batch, in bytes; undefined for the default of the format. */
  readonly maxTextBytes?: number | undefined;
  /** Only PLAIN and dictionaries in Parquet; undefined for the smallest encoding of each column. */
  readonly encodings?: 'plain' | undefined;
}

/**
 * An encoded and compressed batch. Plain data, which can be posted to a thread; a format may add fields for its writer.
 */
export interface EncodedBatch {
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** The rows of one file that a kernel encodes. Plain data, which can be posted to a thread. */
export interface KernelJob {
  /** The file's path, for messages. */
  readonly source: string;
  readonly schema: Schema;
  readonly options: OutputOptions;
}

/** Size of the buffer for one piece of text. */
export const PIECE_CAPACITY_BYTES = 2 * 1024 * 1024;

/**
 * Encodes the text of one batch after the other to bytes of the output; synchronous, one per thread.
 *
 * A batch consists of the rows between two calls of `finish`. The caller ends it in time (`BatchLimits`).
 */
export interface BatchKernel {
  /** Path of the file with the next row, for messages: that of the job, until it is set. */
  source: string;
  /** Line at which the next row begins, for messages. The kernel advances it; the header is line 1. */
  line: number;
  /** Buffer for the next piece of text, of `PIECE_CAPACITY_BYTES` bytes. Valid until `parse`. */
  getPieceBuffer(): Buffer;
  /**
   * Parses the first `length` bytes of the piece buffer: complete rows without quotes. The LF of the last row
   * may be missing.
   * @throws TickhaulError `corrupt`, with line, column and cell; the kernel must not be used after that.
   */
  parse(length: number): void;
  /** Appends a row of unquoted cells. Throws as `parse` does. */
  appendRow(cells: readonly Uint8Array[]): void;
  /**
   * Appends rows that may have quotes, as they are in the text; undefined if the kernel takes such rows from `appendRow`
   * alone. Throws as `parse` does.
   */
  appendQuoted?(text: Buffer): void;
  /**
   * Ends the batch; undefined if it has no rows. Its bytes may be in the kernel's shared memory, where they
   * stay valid until the batch after the next one begins. So one batch can be written while the next is
   * encoded.
   */
  finish(): EncodedBatch | undefined;
}

/** How large the batches of a format are. A batch ends with the row with which it has all its rows or all its text. */
export interface BatchLimits {
  /** Rows per batch. */
  rows(options: OutputOptions, columns: number): number;
  /** Text per batch, in bytes; usual batches have less. It limits their memory. */
  textBytes(options: OutputOptions, schema: Schema): number;
  /** Bytes of memory for a cell of a batch, with those of its encoded form if they count. */
  cellBytes(options: OutputOptions): number;
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** About 24 MB of numbers: limits the batches of a wide schema, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;

/** Batches of formats that are encoded from columns; a row group is one batch. */
export const COLUMN_BATCHES: BatchLimits = {
  rows: getRowGroupRows,
  textBytes: (options, schema) =>
    options.maxTextBytes ?? maxBatchTextBytes(getRowGroupRows(options, schema.length)),
  cellBytes: ({ numbers }) => (numbers === 'string' ? 20 : 8),
};

function getRowGroupRows({ rowGroup }: OutputOptions, columns: number): number {
  return rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns)));
}

/** More than the text of any usual batch of columns, in bytes. */
export function maxBatchTextBytes(rows: number): number {
  return Math.min(Math.max(64 * 1024 * 1024, 512 * rows), 1024 * 1024 * 1024);
}

/** Destination of a file's bytes, written in order. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Random access to a file. */
export interface RandomBytes {
  readonly bytes: number;
  /** Reads exactly `length` bytes. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Access to files by path, on a disk or in an object store. */
export interface FileAccess {
  /** Reads a file from start to end. */
  readonly read: ReadChunks;
  openRandom(path: string, signal?: AbortSignal): Promise<RandomBytes & { close(): Promise<void> }>;
}
