import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import { type Piece, PieceMemory } from '../../format/kernel/piece-memory.js';
import { createDeferred, type Deferred } from './deferred.js';
import type { KernelHost } from './kernel-host.js';
import type { KernelCommand, KernelResponse } from './kernel-worker.js';

/** Pieces of text on the way to a thread: as much as a usual batch, so that it never waits between two. */
const PIECE_COUNT = 16;

/**
 * Starts a thread with a kernel in it.
 * @param onWait told for how many milliseconds text had to wait while the kernel was at work, and not waiting too.
 */
export function startKernelThread(onWait: OnWait): KernelHost {
  return new KernelThread(onWait);
}

type OnWait = (milliseconds: number) => void;

interface PendingPiece {
  readonly piece: Piece;
  readonly ends: boolean;
}

interface PendingBatch {
  readonly made: Deferred<readonly EncodedBatch[]>;
  readonly parts: EncodedBatch[];
}

class KernelThread implements KernelHost {
  readonly #onWait: OnWait;
  readonly #worker = new Worker(new URL('./kernel-worker.js', import.meta.url));
  readonly #pieces = PieceMemory.create(PIECE_COUNT);
  readonly #written = new SharedArrayBuffer(4);
  /** Those without an answer, in order. */
  readonly #orders: PendingPiece[] = [];
  readonly #batches: PendingBatch[] = [];
  /** Whoever waits for a piece, or for all answers. */
  #wake: Deferred<void> | undefined;
  #early = 0;
  /** Milliseconds in which the kernel made batches. */
  #busy = 0;
  #failure: unknown;
  #ended: Promise<unknown> | undefined;

  constructor(onWait: OnWait) {
    this.#onWait = onWait;
    this.#pieces.catch(() => {});
    this.#worker.on('message', (answer: KernelResponse) => this.#hear(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread of a kernel ended')));
  }

  open(job: KernelJob): void {
    this.#pieces.then(
      ({ memory }) => this.#send({ order: 'open', job, text: memory.buffer, written: this.#written }),
      (error: unknown) => this.#fail(error),
    );
  }

  async acquirePiece(): Promise<Piece> {
    const pieces = await this.#pieces;
    this.#check();
    const free = pieces.take();
    if (free) return free;
    const began = performance.now();
    const busy = this.#busy;
    for (;;) {
      await this.#answered();
      this.#check();
      const piece = pieces.take();
      if (!piece) continue;
      this.#onWait(Math.min(this.#busy - busy, performance.now() - began));
      return piece;
    }
  }

  finishBatch(): Promise<readonly EncodedBatch[]> {
    const made = createDeferred<readonly EncodedBatch[]>();
    if (this.#failure !== undefined) made.reject(this.#failure);
    this.#batches.push({ made, parts: [] });
    return made.promise;
  }

  async parse(piece: Piece, rows: PieceRows): Promise<void> {
    this.#orders.push({ piece, ends: rows.ends });
    this.#send({ order: 'take', at: piece.at, rows });
  }

  async drain(): Promise<number> {
    while (this.#orders.length > 0) {
      this.#check();
      await this.#answered();
    }
    this.#check();
    const early = this.#early;
    this.#early = 0;
    return early;
  }

  onWritten(): void {
    const written = new Int32Array(this.#written);
    Atomics.add(written, 0, 1);
    Atomics.notify(written, 0);
  }

  async close(): Promise<void> {
    this.#fail(new TickhaulError('interrupted', 'the conversion was broken off'));
    this.#ended ??= this.#worker.terminate();
    await this.#ended;
  }

  #send(order: KernelCommand): void {
    this.#worker.postMessage(order);
  }

  async #hear({ made, early, busy, error }: KernelResponse): Promise<void> {
    this.#busy += busy;
    if (error) return this.#fail(new TickhaulError(error.code, error.message));
    const order = this.#orders.shift();
    const batch = this.#batches[0];
    if (!order || !batch) return;
    (await this.#pieces).free(order.piece);
    batch.parts.push(...made);
    this.#early += early;
    if (order.ends) {
      this.#early = 0;
      this.#batches.shift();
      batch.made.resolve(batch.parts);
    }
    this.#wakeUp();
  }

  #answered(): Promise<void> {
    this.#wake ??= createDeferred();
    return this.#wake.promise;
  }

  #wakeUp(): void {
    this.#wake?.resolve();
    this.#wake = undefined;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { made } of this.#batches) made.reject(this.#failure);
    this.#wakeUp();
  }
}
