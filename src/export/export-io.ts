import { basename } from 'node:path';
import { contentVersion } from '../audit/audit-record.js';
import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { countSpareProcessors, type RowReaderContext, readRows } from '../convert/rows/read-rows.js';
import type { LeftOutRule, RowCounts } from '../events/run-events.js';
import type { Batch, NumberText, Schema } from '../format/batch.js';
import { statSource } from '../store/stat-source.js';
import type { ExportedFile, ExportedSource } from './export-record.js';
import type { ExportSource } from './export-source.js';
import { type ExportOutput, JobOutputs, type JobOutputsInput, type OutputOwner } from './job-outputs.js';
import { openSpillFile, type SpillFile } from './spill-file.js';

/** What an exporter reads and writes. A source must not be read twice at the same time. */
export interface ExportIo {
  /**
   * Reads a source to its end, and passes its rows in batches, in the order of the file. A batch is valid until `onBatch`
   * resolves. Resolves when all bytes are verified.
   * @throws TickhaulError `corrupt`, `unreadable`; errors of the store and of `onBatch`.
   */
  read(source: ExportSource, options: ExportReadOptions, onBatch: BatchSink): Promise<void>;
  /**
   * Creates an output, which gets its name when the whole job has ended. An earlier one of the same path and owner is
   * discarded.
   * @param path relative to the output folder, with `/`.
   * @param isProvisional whether the output may get another path when it ends; an object then waits in a spill file.
   * @throws TickhaulError `corrupt` for a path that leads out of the folder, for example by a symbol of the rows; `usage`
   * for an output of another owner.
   */
  create(path: string, owner: OutputOwner, isProvisional?: boolean): Promise<ExportOutput>;
  /** Discards all outputs, to read the sources again. */
  restart(): Promise<void>;
  /** Creates a temporary file, which is removed when the job ends. @throws TickhaulError `disk`. */
  createSpill(): Promise<SpillFile>;
  /**
   * Counts rows of the sources that no output has. Call it when all outputs have ended: rows that are neither in an
   * output nor counted here make the job fail.
   */
  leaveOut(rule: LeftOutRule, rows: number): void;
  /** A source that is read twice may warn twice; then the message is kept once. */
  warn(message: string): void;
  /** Processors for threads of the job, besides its own, that no other job uses. */
  readonly spareProcessors: number;
  readonly signal: AbortSignal;
}

export interface ExportReadOptions {
  /** The numbers that keep their text. */
  readonly numberText: NumberText;
  /** As in `RowsRequest`. */
  readonly columns?: readonly string[] | undefined;
  /** Rows of a batch; by default 8192. */
  readonly batchRows?: number | undefined;
}

export type BatchSink = (batch: Batch, schema: Schema) => void | Promise<void>;

const DEFAULT_BATCH_ROWS = 8192;

export interface JobIoInput extends JobOutputsInput {
  /** Called with the number of compressed bytes just read. */
  readonly onBytes: (count: number) => void;
}

/** Files of one job: what was read, and outputs that appear together at its end. */
export class JobIo implements ExportIo {
  readonly spareProcessors: number;
  readonly signal: AbortSignal;
  readonly warnings: string[] = [];
  readonly #input: JobIoInput;
  readonly #sources = new Map<string, ExportedSource>();
  readonly #outputs: JobOutputs;
  readonly #spills: SpillFile[] = [];
  /** Rows of each source. */
  readonly #rows = new Map<string, number>();
  readonly #leftOut: Partial<Record<LeftOutRule, number>> = {};
  /** Sources that are being read. */
  #reads = 0;

  constructor(input: JobIoInput) {
    this.#input = input;
    this.signal = input.signal;
    this.#outputs = new JobOutputs(input, () => this.createSpill());
    this.spareProcessors = countSpareProcessors(input.access.busyThreads);
  }

  leaveOut(rule: LeftOutRule, rows: number): void {
    if (rows > 0) this.#leftOut[rule] = (this.#leftOut[rule] ?? 0) + rows;
  }

  warn(message: string): void {
    if (!this.warnings.includes(message)) this.warnings.push(message);
  }

  async read(source: ExportSource, options: ExportReadOptions, onBatch: BatchSink): Promise<void> {
    const { access } = this.#input;
    // A source that is read at the same time keeps a thread busy: on two processors, this thread reads the second one.
    const busyThreads = access.busyThreads + this.#reads++;
    try {
      await this.#read(source, { ...access, busyThreads }, options, onBatch);
    } finally {
      this.#reads--;
    }
  }

  create(path: string, owner: OutputOwner, isProvisional?: boolean): Promise<ExportOutput> {
    return this.#outputs.create(path, owner, isProvisional);
  }

  async restart(): Promise<void> {
    await this.#outputs.discard();
  }

  async createSpill(): Promise<SpillFile> {
    const spill = await openSpillFile();
    this.#spills.push(spill);
    return spill;
  }

  /** Describes a source that was read. */
  describeSource({ path }: ExportSource): ExportedSource {
    const source = this.#sources.get(path);
    if (!source) throw new Error(`${path}: the exporter did not read it`);
    return source;
  }

  /**
   * What became of the rows of the sources.
   * @throws TickhaulError `bug` if some are missing, or are there twice.
   */
  countRows(): RowCounts {
    const read = sum([...this.#rows.values()]);
    const { sourceRows: written } = this.#outputs;
    const leftOut = this.#leftOut;
    const leftOutRows = sum(Object.values(leftOut));
    if (read === written + leftOutRows) return { read, written, leftOut };
    const counts = `${plural(read, 'row')} read, ${written} written, ${leftOutRows} left out by a rule`;
    const paths = [...this.#rows.keys()].join(', ');
    throw new TickhaulError('bug', `${paths}: ${counts}; this is a bug in tickhaul, so nothing was exported`);
  }

  /** Describes the outputs, which must have ended. */
  describeOutputs(): readonly ExportedFile[] {
    return this.#outputs.describe();
  }

  /** Gives all outputs their names. @throws TickhaulError `disk`, `locked`; errors of the store. */
  publish(): Promise<void> {
    return this.#outputs.publish();
  }

  /** Removes what was not published. */
  async close(): Promise<void> {
    await this.#outputs.discard();
    for (const spill of this.#spills) await spill.close();
  }

  async #read(
    { path, file }: ExportSource,
    access: RowReaderContext,
    options: ExportReadOptions,
    onBatch: BatchSink,
  ): Promise<void> {
    const { onBytes, signal } = this.#input;
    const { files } = access;
    const found = await statSource(files, path, signal);
    const request = {
      path,
      dataType: file.dataType,
      columns: options.columns,
      batchRows: options.batchRows ?? DEFAULT_BATCH_ROWS,
      numberText: options.numberText,
      hash: 'md5',
    } as const;
    let rows = 0;
    const countedSink: BatchSink = (batch, schema) => {
      rows += batch.rows;
      return onBatch(batch, schema);
    };
    const sink = { onBatch: countedSink, onBytes };
    const read = await readRows(request, found.bytes, access, sink, signal);
    if (read.warning !== undefined) this.warn(`${read.warning}; ignoring them`);
    this.#rows.set(path, rows);
    const version = contentVersion(found);
    const isUnchanged = contentVersion((await files.stat(path, signal)) ?? { bytes: 0 }) === version;
    this.#sources.set(path, {
      name: basename(path),
      bytes: read.bytes,
      md5: read.checksum,
      version: isUnchanged ? version : undefined,
    });
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
