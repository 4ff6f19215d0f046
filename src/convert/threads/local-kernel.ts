import { TickhaulError } from '../../base/errors.js';
import { createDeferred, type Deferred } from '../../base/wait.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import { type Piece, PieceMemory } from '../../format/kernel/piece-memory.js';
import {
  acquireSharedKernel,
  clearKernelCache,
  type KernelLease,
  type SharedKernelHandle,
} from './kernel-cache.js';
import type { KernelHost, KernelPool } from './kernel-host.js';
import { parseRows } from './parse-rows.js';

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
