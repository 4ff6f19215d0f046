import { TickhaulError } from '../../base/errors.js';
import { copyBytes } from '../../base/memory.js';
import { Semaphore } from '../../base/semaphore.js';
import { createDeferred, type Deferred } from '../../base/wait.js';
import type { ColumnMemory } from '../../format/columns/column-memory.js';
import { type Piece, PieceMemory } from '../../format/csv/piece-memory.js';
import { parseRecords } from '../../format/csv/quoted-records.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../../format/output-format.js';
import { createBatchKernel } from '../../format/output-formats.js';

/** Runs a kernel, in this thread or in another. */
export interface KernelHost {
  /** Resolves with a free piece of memory for text. @throws as `finishBatch` does. */
  acquirePiece(): Promise<Piece>;
  /**
   * Starts a batch with the next `parse`, and resolves when it is encoded. Errors in its rows reject only
   * this promise: TickhaulError `corrupt`, or any other error for a bug or the end of the thread. The bytes are valid
   * until `onWritten`.
   */
  finishBatch(): Promise<EncodedBatch>;
  /** Parses rows of the batch and takes the piece back. Resolves when the next rows may be passed. */
  parse(piece: Piece, rows: PieceRows): Promise<void>;
  /** Call it when the output of the next batch in order was written. */
  onWritten(): void;
  /** Stops: unfinished batches fail. May be called more than once. */
  close(): Promise<void>;
}

/** The kernels of one conversion. */
export interface KernelPool {
  /** Available before `open`, for the text that contains the header. */
  readonly first: KernelHost;
  /** Call it once, before the first `parse`. */
  open(job: KernelJob): void;
  /** The host of the next batch after the first one. */
  next(): KernelHost;
  close(): Promise<void>;
}

/**
 * Passes rows of files to a kernel; csv-parse splits rows with quotes, unless the kernel appends their text.
 * @throws TickhaulError `corrupt`; the kernel must not be used after that.
 */
export function parseRows(
  kernel: BatchKernel,
  { schema }: KernelJob,
  text: Uint8Array,
  { source, line, quoted }: Pick<PieceRows, 'source' | 'line' | 'quoted'>,
): void {
  kernel.source = source;
  kernel.line = line;
  if (!quoted) {
    copyBytes(text, kernel.getPieceBuffer(), 0);
    kernel.parse(text.length);
    return;
  }
  // Copy: parts of Node's API reject shared memory.
  const copy = Buffer.from(text);
  if (kernel.appendQuoted) {
    kernel.appendQuoted(copy);
    return;
  }
  const names = schema.map(({ name }) => name);
  for (const cells of parseRecords(copy, { source, line }, names)) kernel.appendRow(cells);
}

/**
 * Creates a kernel in this thread, which all conversions of this thread share.
 * @param gather whether to hold the text of a batch until it is complete, so that other conversions can use
 * the kernel while text arrives slowly.
 */
export function createLocalKernels(gather: boolean): KernelPool {
  const host = new LocalKernelHost(gather);
  return {
    first: host,
    open: (job) => host.open(job),
    next: () => host,
    close: () => host.close(),
  };
}

/** Pieces of all conversions in this thread. */
let pieceMemory: Promise<PieceMemory> | undefined;

async function acquirePiece(): Promise<Piece> {
  pieceMemory ??= PieceMemory.create(1);
  const memory = await pieceMemory;
  let piece = memory.acquire();
  while (!piece) {
    memory.grow();
    piece = memory.acquire();
  }
  return piece;
}

async function releasePiece(piece: Piece): Promise<void> {
  (await pieceMemory)?.free(piece);
}

/** Drops the cached memory of kernels and pieces; memory in use stays valid. */
export function clearKernels(): void {
  clearKernelCache();
  pieceMemory = undefined;
}

interface HeldPiece {
  readonly piece: Piece;
  readonly rows: PieceRows;
}

class LocalKernelHost implements KernelHost {
  readonly #gather: boolean;
  #job: KernelJob | undefined;
  #kernel: SharedKernelHandle | undefined;
  /** Pieces that were acquired and not yet parsed. */
  readonly #pieces = new Set<Piece>();
  #held: HeldPiece[] = [];
  #batch: Deferred<EncodedBatch> | undefined;
  /** Lease of the current batch. */
  #lease: KernelLease | undefined;
  /** Leases of the batches whose output is not yet written, in order. */
  readonly #unwritten: KernelLease[] = [];
  #failure: unknown;

  constructor(gather: boolean) {
    this.#gather = gather;
  }

  open(job: KernelJob): void {
    this.#job = job;
    this.#kernel = acquireSharedKernel(job);
  }

  async acquirePiece(): Promise<Piece> {
    if (this.#failure !== undefined) throw this.#failure;
    const piece = await acquirePiece();
    this.#pieces.add(piece);
    return piece;
  }

  finishBatch(): Promise<EncodedBatch> {
    const batch = createDeferred<EncodedBatch>();
    this.#batch = batch;
    if (this.#failure !== undefined) batch.reject(this.#failure);
    return batch.promise;
  }

  async parse(piece: Piece, rows: PieceRows): Promise<void> {
    this.#held.push({ piece, rows });
    if (!this.#gather || rows.endsBatch) await this.#parseHeldPieces();
  }

  onWritten(): void {
    this.#unwritten.shift()?.onWritten();
  }

  async close(): Promise<void> {
    await this.#fail(new TickhaulError('interrupted', 'the conversion was stopped'));
  }

  async #parseHeldPieces(): Promise<void> {
    const job = this.#job;
    const kernel = this.#kernel;
    const held = this.#held;
    this.#held = [];
    if (!job || !kernel || held.length === 0 || this.#failure !== undefined) return;
    try {
      this.#lease ??= await this.#acquireLease(kernel);
      for (const { piece, rows } of held) {
        this.#parsePiece(this.#lease, job, piece, rows);
        this.#pieces.delete(piece);
        await releasePiece(piece);
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #acquireLease(kernel: SharedKernelHandle): Promise<KernelLease> {
    const lease = await kernel.acquire();
    if (this.#failure === undefined) return lease;
    lease.discard();
    throw this.#failure;
  }

  #parsePiece(lease: KernelLease, job: KernelJob, piece: Piece, rows: PieceRows): void {
    const text = piece.bytes.subarray(0, rows.length);
    parseRows(lease.kernel, job, text, rows);
    if (!rows.endsBatch) return;
    const batch = lease.kernel.finish();
    if (!batch) throw new Error(`${job.source}: a batch has no rows`);
    lease.release();
    this.#lease = undefined;
    this.#unwritten.push(lease);
    this.#batch?.resolve(batch);
    this.#batch = undefined;
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#batch?.reject(error);
    this.#lease?.discard();
    this.#lease = undefined;
    for (const lease of this.#unwritten.splice(0)) lease.onWritten();
    this.#kernel?.release();
    this.#kernel = undefined;
    const pieces = [...this.#pieces];
    this.#pieces.clear();
    for (const piece of pieces) await releasePiece(piece);
  }
}

/** Exclusive use of a kernel for one batch. */
interface KernelLease {
  readonly kernel: BatchKernel;
  /** Ends the batch, so that the next one may begin. The output stays valid until `onWritten`. */
  release(): void;
  /** Call it once, after `release`. */
  onWritten(): void;
  /** Replaces `release` and `onWritten` after an error; the kernel is dropped. */
  discard(): void;
}

/** A conversion's handle on a kernel of this thread. */
interface SharedKernelHandle {
  /**
   * Resolves when the kernel is free for one batch.
   * @throws TickhaulError `usage` where Node can't run it.
   */
  acquire(): Promise<KernelLease>;
  /** Call it once, after the last batch. */
  release(): void;
}

/** Kernels by schema and options. A kernel takes much memory, so conversions share it in turns. */
const kernelCache = new Map<string, SharedKernel>();
/** Maximum number of kernels that were in use at the same time. */
let maxUsed = 0;

/**
 * Memory in which this thread reads the sources of computed types, in turns (`RowReaderOptions.memories`). Allocating it
 * takes longer than converting a small file.
 */
export const columnMemories = new Map<string, ColumnMemory>();

/** Returns the kernel for a job. It is created with the first lease. */
function acquireSharedKernel(job: KernelJob): SharedKernelHandle {
  const key = JSON.stringify([job.schema, job.options]);
  const kernel = kernelCache.get(key) ?? new SharedKernel(job);
  kernel.users++;
  // Keep the map in order of use, the most recent last.
  kernelCache.delete(key);
  evictIdleKernels();
  kernelCache.set(key, kernel);
  return {
    acquire: () => kernel.lease(),
    release: () => {
      kernel.users--;
    },
  };
}

/** Drops the cached kernels and memory; those in use stay valid. */
function clearKernelCache(): void {
  kernelCache.clear();
  columnMemories.clear();
  maxUsed = 0;
}

/** Keeps the most recently used of the idle kernels, for further files: as many as one file used. */
function evictIdleKernels(): void {
  const idle = [...kernelCache].filter(([, kernel]) => kernel.users === 0);
  maxUsed = Math.max(maxUsed, kernelCache.size - idle.length);
  for (const [key] of idle.slice(0, -Math.max(1, maxUsed))) kernelCache.delete(key);
}

class SharedKernel {
  /** Number of conversions with a handle. */
  users = 0;
  readonly #job: KernelJob;
  #kernel: Promise<BatchKernel> | undefined;
  /** One batch at a time. */
  readonly #batch = new Semaphore(1);
  /** Resolve when the last two outputs are written. A kernel has two output buffers, used in turns. */
  #outputs: readonly (Promise<void> | undefined)[] = [];

  constructor(job: KernelJob) {
    this.#job = job;
  }

  async lease(): Promise<KernelLease> {
    const endBatch = await this.#batch.acquire();
    const [olderOutput, newerOutput] = this.#outputs;
    await olderOutput;
    const outputWritten = createDeferred<void>();
    const discard = (): void => {
      this.#kernel = undefined;
      endBatch();
    };
    this.#kernel ??= createBatchKernel(this.#job);
    try {
      return {
        kernel: await this.#kernel,
        release: () => {
          this.#outputs = [newerOutput, outputWritten.promise];
          endBatch();
        },
        onWritten: () => {
          outputWritten.resolve();
        },
        discard,
      };
    } catch (error) {
      discard();
      throw error;
    }
  }
}
