import { createHash } from 'node:crypto';
import { basename, posix } from 'node:path';
import { contentVersion } from '../audit/audit-log.js';
import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { countSpareProcessors, type RowReaderContext, readRows } from '../convert/rows/read-rows.js';
import type { LeftOutRule, RowCounts } from '../events/run-events.js';
import type { PartFile } from '../store/files.js';
import { isObjectLocation, joinLocation } from '../store/location.js';
import { statSource } from '../store/open-files.js';
import { isLayoutPath } from '../store/paths.js';
import type { ExportedFile, ExportedSource } from './export-log.js';
import {
  type BatchSink,
  type ExportIo,
  type ExportOutput,
  type ExportReadOptions,
  type ExportSource,
  type OutputEndOptions,
  type OutputOwner,
  sameOutputError,
} from './export-target.js';
import { openSpillFile, type SpillFile, SpooledPart } from './job-memory.js';

const DEFAULT_BATCH_ROWS = 8192;

interface JobIoInput extends JobOutputsInput {
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
    const countedSink: BatchSink = (batch) => {
      rows += batch.rows;
      return onBatch(batch);
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

interface JobOutputsInput {
  readonly access: RowReaderContext;
  /** Output folder or prefix. */
  readonly out: string;
  /** Names the job: files that are being written have other names than those of other jobs, even at the same path. */
  readonly key: string;
  /** Whether a folder may have outputs of one owner only. */
  readonly hasOwnedFolders?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Outputs of a job that are open at the same time: one with many symbols has thousands. */
const MAX_OPEN_OUTPUTS = 32;

/** Outputs that get their names at the same time, as each waits for the disk or the store. */
const PARALLEL_PUBLISHES = 8;

/** The outputs of one job, which appear together at its end. */
class JobOutputs {
  readonly #input: JobOutputsInput;
  readonly #createSpill: () => Promise<SpillFile>;
  readonly #outputs = new Map<string, OpenOutput>();
  readonly #owners = new Map<string, OutputOwner>();
  /**
   * Part of temporary names. Another run of the same job has the same, so that it replaces what a killed one left, and
   * notices one that still runs.
   */
  readonly #tag: string;
  /** Those whose files are open, the one that was used last at the end. */
  readonly #open = new Set<OpenOutput>();
  #spill: Promise<SpillFile> | undefined;

  constructor(input: JobOutputsInput, createSpill: () => Promise<SpillFile>) {
    this.#input = input;
    this.#createSpill = createSpill;
    this.#tag = createHash('sha1').update(input.key).digest('hex').slice(0, 8);
  }

  /** Rows of the sources in all outputs, each counted once. */
  get sourceRows(): number {
    return [...this.#outputs.values()].reduce((sum, { ownRows }) => sum + ownRows, 0);
  }

  async create(path: string, owner: OutputOwner, isProvisional = false): Promise<ExportOutput> {
    this.#assertPath(path, owner);
    await this.#discardPath(path);
    const part = await this.#openPart(path, isProvisional);
    const output = new OpenOutput(path, owner, part, {
      onWrite: (used) => this.#limitOpen(used),
      onRename: (used, finalPath) => {
        this.#assertPath(finalPath, owner);
        // Outputs have the order of their ends.
        this.#outputs.delete(used.path);
        this.#outputs.set(finalPath, used);
      },
    });
    this.#outputs.set(path, output);
    await this.#limitOpen(output);
    return output;
  }

  /** @throws TickhaulError `corrupt` for a path out of the folder; usage error if another owner has it, or its folder. */
  #assertPath(path: string, owner: OutputOwner): void {
    if (!isLayoutPath(path))
      throw new TickhaulError('corrupt', `${JSON.stringify(path)} is not a path inside the output folder`);
    const place = this.#input.hasOwnedFolders ? posix.dirname(path) : path;
    const other = this.#owners.get(place) ?? owner;
    if (other.name !== owner.name) throw sameOutputError(place, other.name, owner);
    this.#owners.set(place, owner);
  }

  async #discardPath(path: string): Promise<void> {
    const output = this.#outputs.get(path);
    if (!output) return;
    this.#open.delete(output);
    await output.part.discard();
  }

  /**
   * An object must have its final name before its upload begins. Uploads take memory, so those of a job with many outputs
   * wait for each other.
   */
  async #openPart(path: string, isProvisional: boolean): Promise<PartFile> {
    const { access, out, signal } = this.#input;
    const location = joinLocation(out, path);
    if (!isObjectLocation(out)) return access.files.openPart(`${location}.${this.#tag}`, undefined, signal);
    const upload = (to: string, bytes?: number): Promise<PartFile> =>
      access.files.openPart(to, undefined, signal, bytes);
    if (!isProvisional && this.#outputs.size < MAX_OPEN_OUTPUTS) return upload(location);
    this.#spill ??= this.#createSpill();
    return new SpooledPart(await this.#spill, upload);
  }

  /** Closes the files of outputs that were not used for the longest time. */
  async #limitOpen(used: OpenOutput): Promise<void> {
    this.#open.delete(used);
    this.#open.add(used);
    for (const output of this.#open) {
      if (this.#open.size <= MAX_OPEN_OUTPUTS) return;
      if (output.isBusy || output === used) continue;
      this.#open.delete(output);
      await output.part.suspend?.();
    }
  }

  /** Describes the outputs, which must have ended. */
  describe(): readonly ExportedFile[] {
    return [...this.#outputs.values()].map((output) => output.describe());
  }

  /** @throws TickhaulError `disk`, `locked`; errors of the store. */
  async publish(): Promise<void> {
    const queue = this.#outputs.values();
    const publishQueue = async (): Promise<void> => {
      for (const { part, path } of queue) await part.publish(joinLocation(this.#input.out, path));
    };
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_PUBLISHES }, publishQueue));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Removes what was not published. */
  async discard(): Promise<void> {
    for (const { part } of this.#outputs.values()) await part.discard();
    this.#outputs.clear();
    this.#open.clear();
  }
}

interface OpenOutputListener {
  /** Called before each write. */
  onWrite(output: OpenOutput): Promise<void>;
  /** Called before the path changes. */
  onRename(output: OpenOutput, path: string): void;
}

class OpenOutput implements ExportOutput {
  readonly part: PartFile;
  path: string;
  /** Whether a write is in progress. */
  isBusy = false;
  /** Source rows that no other output holds. */
  ownRows = 0;
  readonly #owner: OutputOwner;
  readonly #listener: OpenOutputListener;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;
  #ended: Pick<ExportedFile, 'sha256' | 'rows' | 'sourceRows'> | undefined;

  constructor(path: string, owner: OutputOwner, part: PartFile, listener: OpenOutputListener) {
    this.path = path;
    this.part = part;
    this.#owner = owner;
    this.#listener = listener;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.isBusy = true;
    try {
      await this.#listener.onWrite(this);
      const written = this.part.write(bytes);
      this.#sha256.update(bytes);
      this.#bytes += bytes.length;
      await written;
    } finally {
      this.isBusy = false;
    }
  }

  end(rows: number, sourceRows: number, { isDerived = false, path }: OutputEndOptions = {}): void {
    if (path !== undefined) {
      this.#listener.onRename(this, path);
      this.path = path;
    }
    this.#ended = { sha256: this.#sha256.digest('hex'), rows, sourceRows };
    this.ownRows = isDerived ? 0 : sourceRows;
  }

  describe(): ExportedFile {
    if (!this.#ended) throw new Error(`${this.path}: the output was not ended`);
    return { path: this.path, bytes: this.#bytes, ...this.#ended, owner: this.#owner.name };
  }
}
