import type { DayFileHeader } from '../../format/csv/day-file-header.js';
import type { BatchSize, Rows, RowTaker } from '../../format/csv/row-cutter.js';
import type { Encoded, KernelJob } from '../../format/kernel/batch-kernel.js';
import { sureText } from '../../format/kernel/limits.js';
import type { Piece } from '../../format/kernel/pieces.js';
import { batchRows, type ConvertOptions } from '../../format/options.js';
import type { PartFile } from '../../store/files.js';
import { createOutputWriter, type OutputWriter } from '../output/output.js';
import type { KernelHost, Kernels } from './kernel-host.js';

export interface LineInput {
  /** The source's path, for messages. */
  readonly path: string;
  readonly options: ConvertOptions;
  readonly output: PartFile;
  readonly kernels: Kernels;
}

/**
 * Gives a file's rows to kernels, each of which is given one batch in turn, and writes what they make in the file's
 * order. Of several batches that fail, the first in the file is told, whoever finds it when.
 */
export class BatchLine implements RowTaker {
  readonly #input: LineInput;
  /** Who makes the present batch; undefined between two. */
  #host: KernelHost | undefined;
  #writer: Promise<OutputWriter> | undefined;
  #isBegun = false;
  /** Resolve when all batches that have begun are written, and when all that have ended are. */
  #begunWritten: Promise<void> = Promise.resolve();
  #endedWritten: Promise<void> = this.#begunWritten;
  #failure: unknown;

  constructor(input: LineInput) {
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
    return { rows: batchRows(options, schema.length), sureText: sureText(job) };
  }

  room(): Promise<Piece> {
    return this.#present().room();
  }

  async take(piece: Piece, rows: Rows): Promise<void> {
    const host = this.#present();
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#begunWritten = this.#write(host, host.batch(), this.#begunWritten);
      this.#begunWritten.catch((error: unknown) => this.stop(error));
    }
    if (rows.ends) {
      this.#isBegun = false;
      this.#endedWritten = this.#begunWritten;
      this.#host = undefined;
    }
    await host.take(piece, rows);
  }

  settle(): Promise<number> {
    return this.#present().settle();
  }

  /** Resolves when all rows so far were used; what is wrong with them is a failure then. */
  async drain(): Promise<void> {
    await this.#endedWritten.catch(() => {});
    if (!this.#isBegun) return;
    await this.settle().catch(() => this.#begunWritten.catch(() => {}));
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

  async #write(host: KernelHost, batch: Promise<readonly Encoded[]>, before: Promise<void>): Promise<void> {
    await before;
    const writer = await this.#writer;
    for (const encoded of await batch) await writer?.write(encoded);
    host.written();
  }
}
