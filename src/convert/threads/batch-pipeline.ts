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
  /** Resolve when all started batches are written, and when all complete batches are written. */
  #startedWritten: Promise<void> = Promise.resolve();
  #completeWritten: Promise<void> = this.#startedWritten;
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
      isSafe: batches.createTextCheck(schema, options),
    };
  }

  acquirePiece(): Promise<Piece> {
    return this.#currentHost().acquirePiece();
  }

  async consume(piece: Piece, rows: PieceRows): Promise<void> {
    const host = this.#currentHost();
    if (!this.#isBatchOpen) {
      this.#isBatchOpen = true;
      this.#startedWritten = this.#write(host, host.finishBatch(), this.#startedWritten);
      this.#startedWritten.catch((error: unknown) => this.stop(error));
    }
    if (rows.endsBatch) {
      this.#isBatchOpen = false;
      this.#completeWritten = this.#startedWritten;
      this.#host = undefined;
    }
    await host.parse(piece, rows);
  }

  drain(): Promise<number> {
    return this.#currentHost().drain();
  }

  /** Resolves when all rows so far have been parsed; `failure` is set if one of them is corrupt. */
  async waitForRows(): Promise<void> {
    await this.#completeWritten.catch(() => {});
    if (!this.#isBatchOpen) return;
    await this.drain().catch(() => this.#startedWritten.catch(() => {}));
  }

  /** Resolves with the output when all batches are written. Call it after the last batch ended. */
  async end(): Promise<OutputWriter> {
    await this.#startedWritten;
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
    await this.#startedWritten.catch(() => {});
  }

  #currentHost(): KernelHost {
    this.#host ??= this.#input.kernels.next();
    return this.#host;
  }

  async #write(
    host: KernelHost,
    batch: Promise<readonly EncodedBatch[]>,
    previous: Promise<void>,
  ): Promise<void> {
    await previous;
    const writer = await this.#writer;
    for (const encoded of await batch) await writer?.write(encoded);
    host.onWritten();
  }
}
