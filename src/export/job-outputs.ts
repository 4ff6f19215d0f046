import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { TickhaulError, usageError } from '../base/errors.js';
import type { RowReaderContext } from '../convert/rows/read-rows.js';
import type { ByteSink } from '../format/output-format.js';
import type { PartFile } from '../store/files.js';
import { isObjectLocation, joinLocation } from '../store/location.js';
import { isLayoutPath } from '../store/paths.js';
import type { ExportedFile } from './export-record.js';
import { type SpillFile, SpooledPart } from './spill-file.js';

/** What the rows of an output belong to. Outputs of different owners have different paths, or folders. */
export interface OutputOwner {
  /** Such as an exchange and a symbol of its cells. */
  readonly name: string;
  /** What to do if the owner of another name has the same output. */
  advise(other: string): string;
}

/** An output that is being written. Calls must not overlap. */
export interface ExportOutput extends ByteSink {
  /**
   * Call it after the last write.
   * @param rows of the output, for messages and records.
   * @param sourceRows rows of the sources that it holds, or was made of.
   * @param isDerived whether another output holds the same source rows, so that they are not counted twice.
   */
  end(rows: number, sourceRows: number, isDerived?: boolean): void;
}

/** An output that gets its name at its end. */
export interface UnnamedOutput extends ByteSink {
  /** Call it after the last write. @param path in the same folder as before. */
  end(rows: number, sourceRows: number, path: string): void;
}

/**
 * Called before outputs are created, and before they get their names.
 * @param owner of the outputs, at least in the first call with them; undefined if it is not known.
 * @throws TickhaulError if the job must not write them.
 */
export type ClaimOutputs = (paths: readonly string[], owner?: string) => Promise<void>;

export interface JobOutputsInput {
  readonly access: RowReaderContext;
  /** Output folder or prefix. */
  readonly out: string;
  readonly claim: ClaimOutputs;
  /** Whether a folder may have outputs of one owner only. */
  readonly hasOwnedFolders?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Outputs of a job that are open at the same time: one with many symbols has thousands. */
const MAX_OPEN_OUTPUTS = 32;

/** Outputs that get their names at the same time, as each waits for the disk or the store. */
const PARALLEL_PUBLISHES = 8;

/** The outputs of one job, which appear together at its end. */
export class JobOutputs {
  readonly #input: JobOutputsInput;
  readonly #createSpill: () => Promise<SpillFile>;
  readonly #outputs = new Map<string, OpenOutput>();
  readonly #owners = new Map<string, OutputOwner>();
  /** Those whose files are open, the one that was used last at the end. */
  readonly #open = new Set<OpenOutput>();
  #spill: Promise<SpillFile> | undefined;

  constructor(input: JobOutputsInput, createSpill: () => Promise<SpillFile>) {
    this.#input = input;
    this.#createSpill = createSpill;
  }

  /** Relative to the output folder. */
  get paths(): readonly string[] {
    return [...this.#outputs.keys()];
  }

  /** Rows of the sources in all outputs, each counted once. */
  get sourceRows(): number {
    return [...this.#outputs.values()].reduce((sum, { ownRows }) => sum + ownRows, 0);
  }

  async create(path: string, owner: OutputOwner): Promise<OpenOutput> {
    if (!isLayoutPath(path))
      throw new TickhaulError('corrupt', `${JSON.stringify(path)} is not a path inside the output folder`);
    this.#assertOwner(path, owner);
    await this.#input.claim([path], owner.name);
    await this.#discardPath(path);
    const output = new OpenOutput(path, owner, await this.#openPart(path), (used) => this.#limitOpen(used));
    this.#outputs.set(path, output);
    await this.#limitOpen(output);
    return output;
  }

  async createUnnamed(path: string, owner: OutputOwner): Promise<UnnamedOutput | undefined> {
    if (isObjectLocation(this.#input.out)) return undefined;
    const output = await this.create(path, owner);
    return {
      write: (bytes) => output.write(bytes),
      end: (rows, sourceRows, finalPath) => {
        this.#assertOwner(finalPath, owner);
        output.end(rows, sourceRows);
        output.path = finalPath;
        // Outputs have the order of their ends.
        this.#outputs.delete(path);
        this.#outputs.set(finalPath, output);
      },
    };
  }

  /** @throws usage error if another owner has the path, or its folder. */
  #assertOwner(path: string, owner: OutputOwner): void {
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

  /** Uploads take memory, so those of a job with many outputs wait for each other. */
  async #openPart(path: string): Promise<PartFile> {
    const { access, out, signal } = this.#input;
    const open = (bytes?: number): Promise<PartFile> =>
      access.files.openPart(joinLocation(out, path), undefined, signal, bytes);
    if (!isObjectLocation(out) || this.#outputs.size < MAX_OPEN_OUTPUTS) return open();
    this.#spill ??= this.#createSpill();
    return new SpooledPart(await this.#spill, open);
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

  /** @throws TickhaulError `disk`, `locked`; errors of the store. */
  async publish(): Promise<readonly ExportedFile[]> {
    const outputs = [...this.#outputs.values()];
    const exported = outputs.map((output) => output.describe());
    const queue = outputs.values();
    const publishQueue = async (): Promise<void> => {
      for (const { part, path } of queue) await part.publish(joinLocation(this.#input.out, path));
    };
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_PUBLISHES }, publishQueue));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return exported;
  }

  /** Removes what was not published. */
  async discard(): Promise<void> {
    for (const { part } of this.#outputs.values()) await part.discard();
    this.#outputs.clear();
    this.#open.clear();
  }
}

class OpenOutput implements ExportOutput {
  readonly part: PartFile;
  path: string;
  /** Whether a write is in progress. */
  isBusy = false;
  /** Source rows that no other output holds. */
  ownRows = 0;
  readonly #owner: OutputOwner;
  readonly #onWrite: (output: OpenOutput) => Promise<void>;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;
  #ended: Pick<ExportedFile, 'sha256' | 'rows' | 'sourceRows'> | undefined;

  /** @param onWrite called before each write. */
  constructor(
    path: string,
    owner: OutputOwner,
    part: PartFile,
    onWrite: (output: OpenOutput) => Promise<void>,
  ) {
    this.path = path;
    this.part = part;
    this.#owner = owner;
    this.#onWrite = onWrite;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.isBusy = true;
    try {
      await this.#onWrite(this);
      const written = this.part.write(bytes);
      this.#sha256.update(bytes);
      this.#bytes += bytes.length;
      await written;
    } finally {
      this.isBusy = false;
    }
  }

  end(rows: number, sourceRows: number, isDerived = false): void {
    this.#ended = { sha256: this.#sha256.digest('hex'), rows, sourceRows };
    this.ownRows = isDerived ? 0 : sourceRows;
  }

  describe(): ExportedFile {
    if (!this.#ended) throw new Error(`${this.path}: the output was not ended`);
    return { path: this.path, bytes: this.#bytes, ...this.#ended, owner: this.#owner.name };
  }
}

/** @param place path, folder, or what becomes one. */
export function sameOutputError(place: string, other: string, { name, advise }: OutputOwner): TickhaulError {
  return usageError(`${place}: ${other} and ${name} have the same output; ${advise(other)}`);
}
