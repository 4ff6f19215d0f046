import { type ConvertOptions, chooseBatchRows } from '../../format/convert-options.js';
import type { DayFileHeader } from '../../format/csv/day-file-header.js';
import type { BatchSize, PieceRows, RowConsumer } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import { safeBatchTextBytes } from '../../format/kernel/batch-limits.js';
import type { Piece } from '../../format/kernel/piece-memory.js';
import type { PartFile } from '../../store/files.js';
import { createOutputWriter, type OutputWriter } from '../output/output-writer.js';
import type { KernelHost, KernelPool } from './kernel-host.js';

export interface BatchPipelineInput {
  /** The source's path, for messages. */
  readonly path: string;
  readonly options: ConvertOptions;
  readonly output: PartFile;
  readonly kernels: KernelPool;
}

/**
 * Gives a file's rows to kernels, each of which is given one batch in turn, and writes what they make in the file's
 * order. Of several batches that fail, the first in the file is told, whoever finds it when.
 */
export class BatchPipeline implements RowConsumer {
  readonly #input: BatchPipelineInput;
  /** Who makes the present batch; undefined between two. */
  #host: KernelHost | undefined;
  #writer: Promise<OutputWriter> | undefined;
  #isBegun = false;
  /** Resolve when all batches that have begun are written, and when all that have ended are. */
  #begunWritten: Promise<void> = Promise.resolve();
  #endedWritten: Promise<void> = this.#begunWritten;
  #failure: unknown;

  constructor(input: BatchPipelineInput) {
    this.#input = input;
    this.#host = input.kernels.first;
  }

  /** Known as soon as a batch failed, or the line was stopped. */
  get failure(): unknown {
    return this.#failure;
  }

  open({ schema }: DayFileHeader): BatchSize {
    const { path: source, options, output, kernels } = this.#input;
    const job: KernelJob = { source, schema, options };
    kernels.open(job);
    this.#writer = createOutputWriter(output, schema, options);
    this.#writer.catch(() => {});
    return { rows: chooseBatchRows(options, schema.length), safeTextBytes: safeBatchTextBytes(job) };
  }

  acquirePiece(): Promise<Piece> {
    return this.#present().acquirePiece();
  }

  async consume(piece: Piece, rows: PieceRows): Promise<void> {
    const host = this.#present();
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#begunWritten = this.#write(host, host.finishBatch(), this.#begunWritten);
      this.#begunWritten.catch((error: unknown) => this.stop(error));
    }
    if (rows.ends) {
      this.#isBegun = false;
      this.#endedWritten = this.#begunWritten;
      this.#host = undefined;
    }
    await host.parse(piece, rows);
  }

  drain(): Promise<number> {
    return this.#present().drain();
  }

  /** Resolves when all rows so far were used; what is wrong with them is a failure then. */
  async waitForRows(): Promise<void> {
    await this.#endedWritten.catch(() => {});
    if (!this.#isBegun) return;
    await this.drain().catch(() => this.#begunWritten.catch(() => {}));
  }

  /** Resolves with the output when all batches are written; to be called when the last one has ended. */
  async end(): Promise<OutputWriter> {
    await this.#begunWritten;
    if (!this.#writer) throw new Error(`${this.#input.path}: ended before its header was read`);
    return this.#writer;
  }

  /** Breaks off at once: what is under way fails. */
  stop(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    void this.#input.kernels.close();
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#input.kernels.close();
    await this.#begunWritten.catch(() => {});
  }

  #present(): KernelHost {
    this.#host ??= this.#input.kernels.next();
    return this.#host;
  }

  async #write(
    host: KernelHost,
    batch: Promise<readonly EncodedBatch[]>,
    before: Promise<void>,
  ): Promise<void> {
    await before;
    const writer = await this.#writer;
    for (const encoded of await batch) await writer?.write(encoded);
    host.onWritten();
  }
}
