import { availableParallelism } from 'node:os';
import { TickhaulError } from '../../base/errors.js';
import { createDeferred, type Deferred } from '../../base/wait.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { type Piece, PieceMemory } from '../../format/csv/piece-memory.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/output-format.js';
import type { KernelCommand, ParsedPiece } from './kernel-worker.js';
import { createLocalKernels, type KernelHost, type KernelPool } from './local-kernel.js';

/** Share of its time that the reader must wait for kernels before a thread is added on a free processor. */
const WAIT_RATIO_TO_GROW = 0.1;
/**
 * The same if no processor is free: the thread then runs on the reader's processor while the reader waits.
 */
const WAIT_RATIO_TO_OVERSUBSCRIBE = 0.4;
/** Window over which the reader's wait ratio is measured. */
const SAMPLE_WINDOW_MS = 250;
/**
 * Pieces of text in transit to a thread. They hold a usual batch, so that the thread never waits between two
 * batches.
 */
const PIECE_COUNT = 16;
/** The same for a large batch: the reader gives it to its thread as a whole, and continues with the next thread. */
const LARGE_PIECE_COUNT = 32;
/** With fewer kernels, the reader cannot get ahead of them by whole batches. */
const MIN_KERNELS_FOR_LARGE_BATCHES = 3;

/** Creates the kernels for one source, which the calling thread reads. They run in threads if the plan has some. */
export function createKernels(plan: ThreadPlan): KernelPool {
  return plan.maxKernels > 0 ? createKernelThreads(plan) : createLocalKernels(false);
}

/** Starts kernels in threads, and adds a thread whenever the reader spends too much time waiting for them. */
export function createKernelThreads({
  kernelProcessors,
  initialKernels,
  maxKernels,
}: Pick<ThreadPlan, 'kernelProcessors' | 'initialKernels' | 'maxKernels'>): KernelPool {
  const pieces = maxKernels < MIN_KERNELS_FOR_LARGE_BATCHES ? PIECE_COUNT : LARGE_PIECE_COUNT;
  const first = new KernelThread(onWait, pieces);
  const hosts = [first];
  let job: KernelJob | undefined;
  let windowStartMs = performance.now();
  let waitedMs = 0;
  let current = 0;

  function onWait(ms: number): void {
    waitedMs += ms;
    const elapsedMs = performance.now() - windowStartMs;
    if (elapsedMs < SAMPLE_WINDOW_MS) return;
    const minRatio = hosts.length < kernelProcessors ? WAIT_RATIO_TO_GROW : WAIT_RATIO_TO_OVERSUBSCRIBE;
    if (hosts.length < maxKernels && waitedMs > minRatio * elapsedMs) addThread();
    windowStartMs += elapsedMs;
    waitedMs = 0;
  }
  function addThread(): void {
    const host = new KernelThread(onWait, pieces);
    hosts.push(host);
    if (job) host.open(job);
  }

  while (hosts.length < initialKernels) addThread();
  return {
    first,
    open(newJob) {
      job = newJob;
      windowStartMs = performance.now();
      for (const host of hosts) host.open(newJob);
    },
    next() {
      current = (current + 1) % hosts.length;
      return hosts[current] ?? first;
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

/** A kernel in its own thread. */
export class KernelThread implements KernelHost {
  readonly #onWait: (ms: number) => void;
  readonly #thread = new WorkerThread<KernelCommand, ParsedPiece | undefined>(
    new URL('./kernel-worker.js', import.meta.url),
    { name: 'kernel' },
  );
  readonly #pieces: Promise<PieceMemory>;
  /** Resolves when the thread can parse pieces. */
  #opened: Promise<PieceMemory> | undefined;
  readonly #writtenCount = new SharedArrayBuffer(4);
  /** Batches that are not complete, in order. */
  readonly #batches: Deferred<EncodedBatch>[] = [];
  /** Resolves at the next parsed piece or failure. */
  #waiter: Deferred<void> | undefined;
  /** Milliseconds that the kernel has spent on pieces. */
  #busyMs = 0;
  #failure: unknown;

  /**
   * @param onWait called with the milliseconds that the caller waited for a piece while the kernel was busy.
   * @param pieceCount maximum number of pieces in transit to the thread.
   */
  constructor(onWait: (ms: number) => void, pieceCount = PIECE_COUNT) {
    this.#onWait = onWait;
    this.#pieces = PieceMemory.create(pieceCount);
    this.#pieces.catch(() => {});
  }

  open(job: KernelJob): void {
    const written = this.#writtenCount;
    this.#opened = this.#pieces.then(async (pieces) => {
      await this.#thread.run({ command: 'open', job, text: pieces.memory.buffer, written });
      return pieces;
    });
    this.#opened.catch((error: unknown) => this.#fail(error));
  }

  async acquirePiece(): Promise<Piece> {
    const pieces = await this.#pieces;
    this.#throwIfFailed();
    const free = pieces.acquire();
    if (free) return free;
    const startMs = performance.now();
    const busyMsBefore = this.#busyMs;
    for (;;) {
      await this.#waitForPiece();
      this.#throwIfFailed();
      const piece = pieces.acquire();
      if (!piece) continue;
      this.#onWait(Math.min(this.#busyMs - busyMsBefore, performance.now() - startMs));
      return piece;
    }
  }

  finishBatch(): Promise<EncodedBatch> {
    const batch = createDeferred<EncodedBatch>();
    if (this.#failure !== undefined) batch.reject(this.#failure);
    this.#batches.push(batch);
    return batch.promise;
  }

  async parse(piece: Piece, rows: PieceRows): Promise<void> {
    this.#parse(piece, rows).catch((error: unknown) => this.#fail(error));
  }

  onWritten(): void {
    const written = new Int32Array(this.#writtenCount);
    Atomics.add(written, 0, 1);
    Atomics.notify(written, 0);
  }

  async close(): Promise<void> {
    this.#fail(new TickhaulError('interrupted', 'the conversion was stopped'));
    await this.#thread.close();
  }

  async #parse(piece: Piece, rows: PieceRows): Promise<void> {
    const pieces = await this.#opened;
    const parsed = await this.#thread.run({ command: 'parse', at: piece.at, rows });
    pieces?.free(piece);
    this.#busyMs += parsed?.busyMs ?? 0;
    if (parsed?.batch) this.#batches.shift()?.resolve(parsed.batch);
    this.#resumeWaiter();
  }

  #waitForPiece(): Promise<void> {
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
    for (const batch of this.#batches) batch.reject(this.#failure);
    this.#resumeWaiter();
  }
}

/** Threads of one conversion besides the one that reads the source. */
export interface ThreadPlan {
  /** Threads that inflate, as in `GzipReadOptions`. */
  readonly inflateThreads: number | undefined;
  /** Processors for kernels; 0 if the reading thread runs the kernel. */
  readonly kernelProcessors: number;
  /** Kernel threads to start with, and their maximum. */
  readonly initialKernels: number;
  readonly maxKernels: number;
}

/** Compressed size from which a thread pays: smaller sources are converted before a thread has started. */
export const MIN_BYTES_FOR_THREAD = 4_000_000;
/** The same for several threads that inflate. */
const MIN_BYTES_TO_SHARE_INFLATING = 16_000_000;
/** Four threads inflate as much as the reader can take (docs/decisions/inflate.md#inflate-one-large-file-with-several-threads). */
const MAX_INFLATE_THREADS = 4;
/** Text of one zlib or inflate kernel cannot keep more kernels busy. */
const MAX_KERNELS_OF_ONE_STREAM = 4;
const MAX_KERNELS = 8;

/**
 * Shares processors between the steps of a conversion. On one or two processors, the reading thread inflates; with
 * more, a quarter of them inflates a large source, and up to half of them run kernels.
 * @param sourceBytes compressed size of the source.
 * @param spareProcessors processors that nothing else in this run uses.
 */
export function planThreads(
  sourceBytes: number,
  spareProcessors: number,
  available = availableParallelism(),
): ThreadPlan {
  const spare = Math.min(spareProcessors, available - 1);
  if (spare < 1 || sourceBytes < MIN_BYTES_FOR_THREAD) {
    return { inflateThreads: 0, kernelProcessors: 0, initialKernels: 0, maxKernels: 0 };
  }
  const maxKernels = Math.min(MAX_KERNELS_OF_ONE_STREAM, spare + 1);
  const oneStream = { kernelProcessors: spare, initialKernels: 1, maxKernels };
  if (spare < 2) return { ...oneStream, inflateThreads: 0 };
  if (sourceBytes < MIN_BYTES_TO_SHARE_INFLATING) return { ...oneStream, inflateThreads: undefined };
  const processors = spare + 1;
  const kernels = Math.min(MAX_KERNELS, Math.floor(processors / 2) + 1);
  return {
    inflateThreads: Math.max(1, Math.min(MAX_INFLATE_THREADS, Math.floor(processors / 4))),
    kernelProcessors: spare,
    initialKernels: kernels,
    maxKernels: kernels,
  };
}
