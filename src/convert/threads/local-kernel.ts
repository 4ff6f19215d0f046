import { TickhaulError } from '../../base/errors.js';
import type { Rows } from '../../format/csv/row-cutter.js';
import type { Encoded, KernelJob } from '../../format/kernel/batch-kernel.js';
import { type Piece, PieceMemory } from '../../format/kernel/pieces.js';
import { type Deferred, deferred } from './deferred.js';
import type { KernelHost, Kernels } from './kernel-host.js';
import { emptyShelf, type KernelUse, type Lease, useKernel } from './kernel-shelf.js';
import { takeRows } from './take-rows.js';

/**
 * One kernel in this thread, shared with the other conversions of this thread.
 * @param gather whether a batch's text is held until it is whole: where text comes slowly, others go first.
 */
export function localKernels(gather: boolean): Kernels {
  const host = new LocalHost(gather);
  return {
    first: host,
    open: (job) => host.open(job),
    next: () => host,
    close: () => host.close(),
  };
}

/** The pieces of all conversions in this thread. */
let pieces: Promise<PieceMemory> | undefined;

async function takePiece(): Promise<Piece> {
  pieces ??= PieceMemory.create(1);
  const memory = await pieces;
  let piece = memory.take();
  while (!piece) {
    memory.grow();
    piece = memory.take();
  }
  return piece;
}

async function freePiece(piece: Piece): Promise<void> {
  (await pieces)?.free(piece);
}

/** Gives the memory of kernels and pieces back, but for what is in use: it is kept for files to come. */
export function forgetKernels(): void {
  emptyShelf();
  pieces = undefined;
}

interface Held {
  readonly piece: Piece;
  readonly rows: Rows;
}

class LocalHost implements KernelHost {
  readonly #gather: boolean;
  #job: KernelJob | undefined;
  #kernel: KernelUse | undefined;
  /** Handed out by `room`, or held. */
  readonly #pieces = new Set<Piece>();
  #held: Held[] = [];
  #batch: Deferred<readonly Encoded[]> | undefined;
  #ended: Encoded[] = [];
  /** Rows that ended early since somebody asked. */
  #early = 0;
  /** Of the batch in the making. */
  #lease: Lease | undefined;
  /** Of batches whose output isn't used yet, in order. */
  readonly #unwritten: Lease[] = [];
  #failure: unknown;

  constructor(gather: boolean) {
    this.#gather = gather;
  }

  open(job: KernelJob): void {
    this.#job = job;
    this.#kernel = useKernel(job);
  }

  async room(): Promise<Piece> {
    if (this.#failure !== undefined) throw this.#failure;
    const piece = await takePiece();
    this.#pieces.add(piece);
    return piece;
  }

  batch(): Promise<readonly Encoded[]> {
    const batch = deferred<readonly Encoded[]>();
    this.#batch = batch;
    if (this.#failure !== undefined) batch.reject(this.#failure);
    return batch.promise;
  }

  async take(piece: Piece, rows: Rows): Promise<void> {
    this.#held.push({ piece, rows });
    if (!this.#gather || rows.ends) await this.#work();
  }

  async settle(): Promise<number> {
    await this.#work();
    if (this.#failure !== undefined) throw this.#failure;
    const early = this.#early;
    this.#early = 0;
    return early;
  }

  written(): void {
    this.#unwritten.shift()?.written();
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
        await freePiece(piece);
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #takeLease(kernel: KernelUse): Promise<Lease> {
    const lease = await kernel.lease();
    if (this.#failure === undefined) return lease;
    lease.discard();
    throw this.#failure;
  }

  #takeRows(lease: Lease, job: KernelJob, piece: Piece, rows: Rows): void {
    const text = piece.bytes.subarray(0, rows.length);
    for (const encoded of takeRows(lease.kernel, job, text, rows)) {
      this.#ended.push(encoded);
      this.#early += encoded.rows;
    }
    if (!rows.ends) return;
    const last = lease.kernel.finish();
    lease.end();
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
    for (const lease of this.#unwritten.splice(0)) lease.written();
    this.#kernel?.end();
    this.#kernel = undefined;
    const pieces = [...this.#pieces];
    this.#pieces.clear();
    for (const piece of pieces) await freePiece(piece);
  }
}
