import { basename } from 'node:path';
import { plural } from '../base/units.js';
import type { DayFileHeader } from '../format/csv/csv-header.js';
import type { Piece } from '../format/csv/piece-memory.js';
import { type BatchSize, type PieceRows, type RowConsumer, RowSplitter } from '../format/csv/row-splitter.js';
import type { EncodedBatch, OutputOptions, OutputStream, OutputWriter } from '../format/output-format.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { PartFile } from '../store/files.js';
import {
  type ContentOptions,
  formatProvenance,
  type SourceContent,
  type SourceIdentity,
} from './provenance.js';
import type { KernelHost, KernelPool } from './threads/local-kernel.js';

/** The caller opens `output`. The conversion closes the kernels, and publishes or discards the output. */
export interface ConversionInput extends BatchPipelineInput {
  /** Data type of the first source; undefined if it must be read from the header. */
  readonly dataType?: string | undefined;
  /** Header of text without one. */
  readonly header?: DayFileHeader | undefined;
}

export interface ConversionResult {
  readonly rows: number;
  /** Size of the output. */
  readonly bytes: number;
  readonly dataType: string;
  /** Provenance record of the output. */
  readonly provenance: Readonly<Record<string, string>>;
  /** Lists the columns that the data type is not known to have. */
  readonly warning: string | undefined;
}

/** A source whose text follows. */
export interface NextSource {
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
}

/**
 * Conversion of day files from their gunzipped text: usually one, or several after each other with the same columns.
 * Calls must not overlap, except `stop`.
 */
export interface Conversion {
  /** Resolves when the next chunk can be written; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** Resolves when all complete rows have been converted without an error. Call it if reading the source failed. */
  drain(): Promise<void>;
  /** Ends a source, after it was verified, and begins the next one. @throws as `write` does. */
  nextSource(ended: SourceContent, next: NextSource): Promise<void>;
  /** Writes the end of the output. Call it after the last source was verified. */
  end(source: SourceContent): Promise<ConversionResult>;
  /** Publishes the output. Call it after `end`. */
  publish(): Promise<void>;
  /** `end` and `publish`. */
  finish(source: SourceContent): Promise<ConversionResult>;
  /** Stops at once: pending calls throw the reason. */
  stop(reason: unknown): void;
  /** Discards the output; does nothing after `finish`. */
  abort(): Promise<void>;
}

/**
 * Starts a conversion. Of several errors, the first in the file is thrown.
 * @throws from `write`, `drain` and `finish`: TickhaulError `corrupt`, with line, column and cell; `disk`;
 * `usage` for an empty file of an unknown data type, and for one with other columns than the first. After an error, only `abort` may be called.
 */
export function startConversion(input: ConversionInput): Conversion {
  const { path, dataType, header, options, output } = input;
  const pipeline = new BatchPipeline(input);
  const splitter = new RowSplitter(path, header ?? dataType, pipeline);
  const sources: SourceIdentity[] = [];
  let name = basename(path);

  let failure: unknown;
  /** Prefers an error of the earlier rows, which the pipeline may still be parsing. */
  const runInOrder = async <T>(work: () => Promise<T>): Promise<T> => {
    failure ??= pipeline.failure;
    if (failure !== undefined) throw failure;
    try {
      return await work();
    } catch (error) {
      await pipeline.endEarly();
      failure = pipeline.failure ?? error;
      throw failure;
    }
  };

  const end = (source: SourceContent): Promise<ConversionResult> =>
    runInOrder(async () => {
      const { dataType, warning: unknown } = await splitter.end();
      const writer = await pipeline.end();
      const { rows } = splitter;
      sources.push({ name, ...source });
      const record = { sources, dataType, rows, options };
      const provenance = formatProvenance(record);
      const written = await writer.finish(provenance);
      if (written.rows !== rows)
        throw new Error(`${path}: read ${plural(rows, 'row')} but wrote ${written.rows}`);
      const warning = unknown && `${unknown}; keeping them as text`;
      return { ...written, dataType, provenance, warning };
    });
  const publish = (): Promise<void> =>
    runInOrder(async () => {
      await output.publish();
      await pipeline.close();
    });

  return {
    write: (text) => runInOrder(() => splitter.push(text)),
    drain: () =>
      runInOrder(async () => {
        await splitter.flush();
        await pipeline.endEarly();
        if (pipeline.failure !== undefined) throw pipeline.failure;
      }),
    nextSource: (ended, next) =>
      runInOrder(async () => {
        sources.push({ name, ...ended });
        name = basename(next.path);
        await splitter.beginSource(next.path, next.dataType);
      }),
    end,
    publish,
    async finish(source) {
      const result = await end(source);
      await publish();
      return result;
    },
    stop: (reason) => pipeline.stop(reason),
    async abort() {
      await pipeline.close();
      await output.discard();
    },
  };
}

interface BatchPipelineInput {
  /** Path of the first source, for messages. */
  readonly path: string;
  /** With the rules of bars, which the provenance record has too. */
  readonly options: ContentOptions;
  readonly output: ConversionSink;
  readonly kernels: KernelPool;
}

/**
 * Distributes a file's rows to kernels, one batch to each in turn, and writes the encoded batches in the
 * order of the file. If several batches fail, the error is that of the first in the file, even if it fails
 * later than others.
 */
class BatchPipeline implements RowConsumer {
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

  open(header: DayFileHeader): BatchSize {
    const { schema } = header;
    const { path: source, options, output, kernels } = this.#input;
    kernels.open({ source, schema, options });
    const { batches } = OUTPUT_FORMATS[options.format];
    this.#writer = createOutputWriter(output, header, options);
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
      const nothing = { source: '', length: 0, line: 0, quoted: false, endsBatch: true };
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

/** Destination of a conversion: a file, or a stream of the rows of several files. */
export type ConversionSink =
  | PartFile
  | (Pick<PartFile, 'publish' | 'discard'> & Pick<OutputStream, 'createWriter'>);

/** Creates the writer of a conversion's rows. @throws as `OutputStream.createWriter` does. */
function createOutputWriter(
  output: ConversionSink,
  { schema, text }: DayFileHeader,
  options: OutputOptions,
): Promise<OutputWriter> {
  if ('createWriter' in output) return output.createWriter(schema, text);
  return OUTPUT_FORMATS[options.format].createWriter(output, schema, options, output.location, text);
}
