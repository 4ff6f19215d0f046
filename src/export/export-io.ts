import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { contentVersion } from '../audit/audit-file.js';
import { TickhaulError } from '../base/errors.js';
import type { Batch, NumberText, Schema } from '../format/batch.js';
import type { ByteSink } from '../format/byte-sink.js';
import { countSpareProcessors, type RowReaderContext, readRows } from '../rows/read-rows.js';
import type { PartFile } from '../store/files.js';
import { isObjectLocation, joinLocation } from '../store/location.js';
import { isLayoutPath } from '../store/paths.js';
import { statSource } from '../store/stat-source.js';
import type { ExportedFile, ExportedSource } from './export-record.js';
import type { ExportSource } from './export-source.js';
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
   * Creates an output, which gets its name when the whole job has ended. An earlier one of the same path is discarded.
   * @param path relative to the output folder, with `/`.
   * @throws TickhaulError `corrupt` for a path that leads out of the folder, for example by a symbol of the rows; `usage`
   * for an output of another job.
   */
  create(path: string): Promise<ExportOutput>;
  /**
   * Like `create`, for an output whose name is known when it ends.
   * @param path in the folder of the later one; other jobs must not use it.
   * @returns undefined if outputs go to an object store, where names cannot change.
   */
  createUnnamed(path: string): Promise<UnnamedOutput | undefined>;
  /** Creates a temporary file, which is removed when the job ends. @throws TickhaulError `disk`. */
  createSpill(): Promise<SpillFile>;
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

/** An output that is being written. Calls must not overlap. */
export interface ExportOutput extends ByteSink {
  /** Call it after the last write. @param rows of the output, for messages and records. */
  end(rows: number): void;
}

/** An output that gets its name at its end. */
export interface UnnamedOutput extends ByteSink {
  /** Call it after the last write. @param path in the same folder as before. */
  end(rows: number, path: string): void;
}

const DEFAULT_BATCH_ROWS = 8192;

export interface JobIoInput {
  readonly access: RowReaderContext;
  /** Output folder or prefix. */
  readonly out: string;
  /** Called with the number of compressed bytes just read. */
  readonly onBytes: (count: number) => void;
  /** Called before an output is created. @throws TickhaulError if the job must not write it. */
  readonly claim: (paths: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Files of one job: what was read, and outputs that appear together at its end. */
export class JobIo implements ExportIo {
  readonly spareProcessors: number;
  readonly signal: AbortSignal;
  readonly warnings: string[] = [];
  readonly #input: JobIoInput;
  readonly #sources = new Map<string, ExportedSource>();
  readonly #outputs = new Map<string, OpenOutput>();
  readonly #spills: SpillFile[] = [];
  /** Sources that are being read. */
  #reads = 0;

  constructor(input: JobIoInput) {
    this.#input = input;
    this.signal = input.signal;
    this.spareProcessors = countSpareProcessors(input.access.busyThreads);
  }

  /** Paths of the outputs, relative to the output folder. */
  get paths(): readonly string[] {
    return [...this.#outputs.keys()];
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

  async create(path: string): Promise<OpenOutput> {
    const { access, out, claim, signal } = this.#input;
    if (!isLayoutPath(path))
      throw new TickhaulError('corrupt', `${JSON.stringify(path)} is not a path inside the output folder`);
    await claim([path]);
    await this.#outputs.get(path)?.part.discard();
    const part = await access.files.openPart(joinLocation(out, path), undefined, signal);
    const output = new OpenOutput(path, part);
    this.#outputs.set(path, output);
    return output;
  }

  async createUnnamed(path: string): Promise<UnnamedOutput | undefined> {
    if (isObjectLocation(this.#input.out)) return undefined;
    const output = await this.create(path);
    return {
      write: (bytes) => output.write(bytes),
      end: (rows, finalPath) => {
        output.end(rows);
        output.path = finalPath;
        // Outputs have the order of their ends.
        this.#outputs.delete(path);
        this.#outputs.set(finalPath, output);
      },
    };
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

  /** Gives all outputs their names. @throws TickhaulError `disk`, `locked`; errors of the store. */
  async publish(): Promise<readonly ExportedFile[]> {
    const outputs = [...this.#outputs.values()];
    const exported = outputs.map((output) => output.describe());
    for (const { part, path } of outputs) await part.publish(joinLocation(this.#input.out, path));
    return exported;
  }

  /** Removes what was not published. */
  async close(): Promise<void> {
    for (const { part } of this.#outputs.values()) await part.discard();
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
    const sink = { onBatch, onBytes };
    const read = await readRows(request, found.bytes, access, sink, signal);
    if (read.warning !== undefined) this.warn(`${read.warning}; ignoring them`);
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

class OpenOutput implements ExportOutput {
  readonly part: PartFile;
  path: string;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;
  #rows: number | undefined;

  constructor(path: string, part: PartFile) {
    this.path = path;
    this.part = part;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const written = this.part.write(bytes);
    this.#sha256.update(bytes);
    this.#bytes += bytes.length;
    await written;
  }

  end(rows: number): void {
    this.#rows = rows;
  }

  describe(): ExportedFile {
    if (this.#rows === undefined) throw new Error(`${this.path}: the output was not ended`);
    return {
      path: this.path,
      bytes: this.#bytes,
      sha256: this.#sha256.digest('hex'),
      rows: this.#rows,
    };
  }
}
