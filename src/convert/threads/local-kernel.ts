import { TickhaulError } from '../../base/errors.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import { type Piece, PieceMemory } from '../../format/kernel/piece-memory.js';
import { createDeferred, type Deferred } from './deferred.js';
import {
  acquireSharedKernel,
  clearKernelCache,
  type KernelLease,
  type SharedKernelHandle,
} from './kernel-cache.js';
import type { KernelHost, KernelPool } from './kernel-host.js';
import { parseRows } from './parse-rows.js';

/**
 * One kernel in this thread, shared with the other conversions of this thread.
 * @param gather whether a batch's text is held until it is whole: where text comes slowly, others go first.
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

/** The pieces of all conversions in this thread. */
let pieceMemory: Promise<PieceMemory> | undefined;

async function acquirePiece(): Promise<Piece> {
  pieceMemory ??= PieceMemory.create(1);
  const memory = await pieceMemory;
  let piece = memory.take();
  while (!piece) {
    memory.grow();
    piece = memory.take();
  }
  return piece;
}

async function releasePiece(piece: Piece): Promise<void> {
  (await pieceMemory)?.free(piece);
}

/** Gives the memory of kernels and pieces back, but for what is in use: it is kept for files to come. */
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
  /** Handed out by `room`, or held. */
  readonly #pieces = new Set<Piece>();
  #held: HeldPiece[] = [];
  #batch: Deferred<readonly EncodedBatch[]> | undefined;
  #ended: EncodedBatch[] = [];
  /** Rows that ended early since somebody asked. */
  #early = 0;
  /** Of the batch in the making. */
  #lease: KernelLease | undefined;
  /** Of batches whose output isn't used yet, in order. */
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

  finishBatch(): Promise<readonly EncodedBatch[]> {
    const batch = createDeferred<readonly EncodedBatch[]>();
    this.#batch = batch;
    if (this.#failure !== undefined) batch.reject(this.#failure);
    return batch.promise;
  }

  async parse(piece: Piece, rows: PieceRows): Promise<void> {
    this.#held.push({ piece, rows });
    if (!this.#gather || rows.ends) await this.#work();
  }

  async drain(): Promise<number> {
    await this.#work();
    if (this.#failure !== undefined) throw this.#failure;
    const early = this.#early;
    this.#early = 0;
    return early;
  }

  onWritten(): void {
    this.#unwritten.shift()?.onWritten();
  }

  async close(): Promise<void> {
    await this.#fail(new TickhaulError('interrupted', 'the conversion was broken off'));
  }

  async #work(): Promise<void> {
    const job = this.#job;
    const kernel = this.#kernel;
    const held = this.#held;
    this.#held = [];
    if (!job || !kernel || held.length === 0 || this.#failure !== undefined) return;
    try {
      this.#lease ??= await this.#takeLease(kernel);
      for (const { piece, rows } of held) {
        this.#takeRows(this.#lease, job, piece, rows);
        this.#pieces.delete(piece);
        await releasePiece(piece);
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #takeLease(kernel: SharedKernelHandle): Promise<KernelLease> {
    const lease = await kernel.acquire();
    if (this.#failure === undefined) return lease;
    lease.discard();
    throw this.#failure;
  }

  #takeRows(lease: KernelLease, job: KernelJob, piece: Piece, rows: PieceRows): void {
    const text = piece.bytes.subarray(0, rows.length);
    for (const encoded of parseRows(lease.kernel, job, text, rows)) {
      this.#ended.push(encoded);
      this.#early += encoded.rows;
    }
    if (!rows.ends) return;
    const last = lease.kernel.finish();
    lease.release();
    this.#lease = undefined;
    this.#unwritten.push(lease);
    this.#batch?.resolve(last ? [...this.#ended, last] : this.#ended);
    this.#batch = undefined;
    this.#ended = [];
    this.#early = 0;
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
