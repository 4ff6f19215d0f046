import type { OutputExtension } from '../base/output-format-names.js';
import type { Schema } from './batch.js';
import type { ByteSink } from './byte-sink.js';
import type { Compression } from './compression/compressor.js';
import type { FileAccess } from './file-access.js';
import type { FileContent } from './inspection/file-content.js';
import type { BatchLimits } from './kernel/batch-limits.js';
import type { BatchKernel, EncodedBatch, KernelJob } from './kernel/kernel-job.js';
import type { OutputOptions } from './output-options.js';

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
  /** Version of the bytes that the writer creates from the same rows (convert/output/versions.ts). */
  readonly writerVersion: number;
  /** Whether files can hold metadata; if not, their provenance goes into `.tickhaul/conversions.jsonl`. */
  readonly hasMetadata: boolean;
  readonly batches: BatchLimits;
  /** File name extension, without the leading dot. */
  extension(compression: Compression): OutputExtension;
  /** Estimated size relative to the compressed CSV. */
  sizeRatio(compression: Compression): number;

  /** @param location final location of the output, if it is a file. */
  createWriter(
    sink: ByteSink,
    schema: Schema,
    options: OutputOptions,
    location?: string,
  ): Promise<OutputWriter>;
  /** Opens an output of the rows of several files in one stream. Without it, the format needs files. */
  openStream?(sink: ByteSink, options: OutputOptions): OutputStream;
  /** Creates a kernel, which encodes rows of CSV text. */
  createKernel(job: KernelJob): Promise<BatchKernel>;

  /** Reads what `verify` compares. @throws TickhaulError `corrupt` if the file is incomplete; errors of `files`. */
  readFacts(path: string, files: FileAccess, signal?: AbortSignal): Promise<OutputFacts>;
  /** Summarizes a file for `inspect`. @throws TickhaulError `corrupt`; errors of `files`. */
  inspect(path: string, files: FileAccess, signal: AbortSignal): Promise<FileContent>;
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
   * @throws TickhaulError `usage` if a stream cannot have these columns after the previous ones.
   */
  createWriter(schema: Schema): Promise<OutputWriter>;
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
