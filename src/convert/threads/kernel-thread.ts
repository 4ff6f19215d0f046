import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import { type Piece, PieceMemory } from '../../format/kernel/piece-memory.js';
import { createDeferred, type Deferred } from './deferred.js';
import type { KernelHost } from './kernel-host.js';
import type { KernelCommand, KernelResponse } from './kernel-worker.js';

/**
 * Pieces of text in transit to a thread. They hold a usual batch, so that the thread never waits between two
 * batches.
 */
const PIECE_COUNT = 16;

/**
 * Starts a thread with a kernel.
 * @param onWait called with the milliseconds that the caller waited for a piece while the kernel was busy.
 */
export function startKernelThread(onWait: OnWait): KernelHost {
  return new KernelThread(onWait);
}

type OnWait = (ms: number) => void;

interface PendingPiece {
  readonly piece: Piece;
  readonly ends: boolean;
}

interface PendingBatch {
  readonly result: Deferred<readonly EncodedBatch[]>;
  readonly parts: EncodedBatch[];
}

class KernelThread implements KernelHost {
  readonly #onWait: OnWait;
  readonly #worker = new Worker(new URL('./kernel-worker.js', import.meta.url));
  readonly #pieces = PieceMemory.create(PIECE_COUNT);
  readonly #writtenCount = new SharedArrayBuffer(4);
  /** Pieces without a response, in order. */
  readonly #pendingPieces: PendingPiece[] = [];
  readonly #batches: PendingBatch[] = [];
  /** Resolves at the next response or failure. */
  #waiter: Deferred<void> | undefined;
  #earlyRows = 0;
  /** Milliseconds that the kernel has spent on pieces. */
  #busyMs = 0;
  #failure: unknown;
  #ended: Promise<unknown> | undefined;

  constructor(onWait: OnWait) {
    this.#onWait = onWait;
    this.#pieces.catch(() => {});
    this.#worker.on('message', (response: KernelResponse) => this.#onResponse(response));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the kernel thread ended')));
  }

  open(job: KernelJob): void {
    this.#pieces.then(
      ({ memory }) => this.#send({ command: 'open', job, text: memory.buffer, written: this.#writtenCount }),
      (error: unknown) => this.#fail(error),
    );
  }

  async acquirePiece(): Promise<Piece> {
    const pieces = await this.#pieces;
    this.#throwIfFailed();
    const free = pieces.acquire();
    if (free) return free;
    const startMs = performance.now();
    const busyMsBefore = this.#busyMs;
    for (;;) {
      await this.#waitForResponse();
      this.#throwIfFailed();
      const piece = pieces.acquire();
      if (!piece) continue;
      this.#onWait(Math.min(this.#busyMs - busyMsBefore, performance.now() - startMs));
      return piece;
    }
  }

  finishBatch(): Promise<readonly EncodedBatch[]> {
    const result = createDeferred<readonly EncodedBatch[]>();
    if (this.#failure !== undefined) result.reject(this.#failure);
    this.#batches.push({ result, parts: [] });
    return result.promise;
  }

  async parse(piece: Piece, rows: PieceRows): Promise<void> {
    this.#pendingPieces.push({ piece, ends: rows.endsBatch });
    this.#send({ command: 'parse', at: piece.at, rows });
  }

  async drain(): Promise<number> {
    while (this.#pendingPieces.length > 0) {
      this.#throwIfFailed();
      await this.#waitForResponse();
    }
    this.#throwIfFailed();
    const earlyRows = this.#earlyRows;
    this.#earlyRows = 0;
    return earlyRows;
  }

  onWritten(): void {
    const written = new Int32Array(this.#writtenCount);
    Atomics.add(written, 0, 1);
    Atomics.notify(written, 0);
  }

  async close(): Promise<void> {
    this.#fail(new TickhaulError('interrupted', 'the conversion was stopped'));
    this.#ended ??= this.#worker.terminate();
    await this.#ended;
  }

  #send(command: KernelCommand): void {
    this.#worker.postMessage(command);
  }

  async #onResponse({ batches, earlyRows, busyMs, error }: KernelResponse): Promise<void> {
    this.#busyMs += busyMs;
    if (error) return this.#fail(new TickhaulError(error.code, error.message));
    const pending = this.#pendingPieces.shift();
    const batch = this.#batches[0];
    if (!pending || !batch) return;
    (await this.#pieces).free(pending.piece);
    batch.parts.push(...batches);
    this.#earlyRows += earlyRows;
    if (pending.ends) {
      this.#earlyRows = 0;
      this.#batches.shift();
      batch.result.resolve(batch.parts);
    }
    this.#resumeWaiter();
  }

  #waitForResponse(): Promise<void> {
    this.#waiter ??= createDeferred();
    return this.#waiter.promise;
  }

  #resumeWaiter(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { result } of this.#batches) result.reject(this.#failure);
    this.#resumeWaiter();
  }
}
