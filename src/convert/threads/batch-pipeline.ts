import type { DayFileHeader } from '../../format/csv/day-file-header.js';
import type { BatchSize, PieceRows, RowConsumer } from '../../format/csv/row-splitter.js';
import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import type { Piece } from '../../format/kernel/piece-memory.js';
import type { OutputWriter } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { OutputOptions } from '../../format/output-options.js';
import { type ConversionSink, createOutputWriter } from '../output/conversion-sink.js';
import type { KernelHost, KernelPool } from './kernel-host.js';

export interface BatchPipelineInput {
  /** Path of the source, for messages. */
  readonly path: string;
  readonly options: OutputOptions;
  readonly output: ConversionSink;
  readonly kernels: KernelPool;
}

/**
 * Distributes a file's rows to kernels, one batch to each in turn, and writes the encoded batches in the
 * order of the file. If several batches fail, the error is that of the first in the file, even if it fails
 * later than others.
 */
export class BatchPipeline implements RowConsumer {
  readonly #input: BatchPipelineInput;
  /** Host of the current batch; undefined between two batches. */
  #host: KernelHost | undefined;
  #writer: Promise<OutputWriter> | undefined;
  #isBatchOpen = false;
  /** Resolves when all batches so far are written. */
  #written: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(input: BatchPipelineInput) {
    this.#input = input;
    this.#host = input.kernels.first;
  }

  /** Set as soon as a batch failed, or the pipeline was stopped. */
  get failure(): unknown {
    return this.#failure;
  }

  open({ schema }: DayFileHeader): BatchSize {
    const { path: source, options, output, kernels } = this.#input;
    kernels.open({ source, schema, options });
    const { batches } = OUTPUT_FORMATS[options.format];
    this.#writer = createOutputWriter(output, schema, options);
    this.#writer.catch(() => {});
    return {
      rows: batches.rows(options, schema.length),
      textBytes: batches.textBytes(options, schema),
    };
  }

  acquirePiece(): Promise<Piece> {
    return this.#currentHost().acquirePiece();
  }

  async consume(piece: Piece, rows: PieceRows): Promise<void> {
    const host = this.#currentHost();
    if (!this.#isBatchOpen) {
      this.#isBatchOpen = true;
      this.#written = this.#write(host, host.finishBatch(), this.#written);
      this.#written.catch((error: unknown) => this.stop(error));
    }
    if (rows.endsBatch) {
      this.#isBatchOpen = false;
      this.#host = undefined;
    }
    await host.parse(piece, rows);
  }

  /**
   * Ends the open batch, after which no more rows may follow. Resolves when all rows have been written; `failure` is set
   * if one of them is corrupt.
   */
  async endEarly(): Promise<void> {
    try {
      const nothing = { length: 0, line: 0, quoted: false, endsBatch: true };
      if (this.#isBatchOpen) await this.consume(await this.acquirePiece(), nothing);
      await this.#written;
    } catch {
      // The batch fails with the same error.
      await this.#written.catch(() => {});
    }
  }

  /** Resolves with the output when all batches are written. Call it after the last batch ended. */
  async end(): Promise<OutputWriter> {
    await this.#written;
    if (!this.#writer) throw new Error(`${this.#input.path}: ended before its header was read`);
    return this.#writer;
  }

  /** Stops at once: pending calls fail. */
  stop(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    void this.#input.kernels.close();
  }

  /** Resolves when no work is pending. */
  async close(): Promise<void> {
    await this.#input.kernels.close();
    await this.#written.catch(() => {});
  }

  #currentHost(): KernelHost {
    this.#host ??= this.#input.kernels.next();
    return this.#host;
  }

  async #write(host: KernelHost, batch: Promise<EncodedBatch>, previous: Promise<void>): Promise<void> {
    await previous;
    const writer = await this.#writer;
    await writer?.write(await batch);
    host.onWritten();
  }
}
