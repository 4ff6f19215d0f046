import { createDeferred } from '../../base/wait.js';
import type { Clock, EventSequence } from './event-sequences.js';

/** Thrown if events cannot be merged while their files are read: the files must be read again, to their ends. */
export class ReadAgain extends Error {}

/** Chunks of a file that may be in memory before its reader waits. */
const MAX_CHUNKS = 64;
/** The last chunk grows, and the one before it is held back, since many late events belong into it. */
const HELD_CHUNKS = 2;

/** What the flows of a merge have in common. */
export class MergeState {
  #changed = createDeferred<void>();
  #isStopped = false;

  /** Wakes all that wait. */
  notify(): void {
    this.#changed.resolve();
    this.#changed = createDeferred();
  }

  /** Makes all calls throw that wait. */
  stop(): void {
    this.#isStopped = true;
    this.notify();
  }

  /** @throws ReadAgain after `stop`. */
  check(): void {
    if (this.#isStopped) throw new ReadAgain();
  }

  /** Resolves when a condition is met. @throws ReadAgain after `stop`. */
  async waitFor(isMet: () => boolean): Promise<void> {
    this.check();
    while (!isMet()) {
      await this.#changed.promise;
      this.check();
    }
  }
}

/** Passes chunks of a file on to a merge while the file is read, and drops those that were merged. */
export class ChunkFlow {
  readonly #state: MergeState;
  readonly #run: EventSequence;
  /** Chunks that the merge has left, on each clock. */
  readonly #merged: Record<Clock, number> = { exch: 0, local: 0 };
  /** Chunks that the merge may read, and times that none of their events is after. */
  #released = { chunks: 0, exch: Number.NEGATIVE_INFINITY, local: Number.NEGATIVE_INFINITY };
  /** The chunks and the last times when the last chunk was begun. */
  #begun = this.#released;
  #isEnded = false;
  /** Whether the merge waits for a chunk of this file. */
  #isAwaited = false;

  constructor(state: MergeState, run: EventSequence) {
    this.#state = state;
    this.#run = run;
  }

  /** Whether an event belongs before others that may be merged already. */
  isTooLate(clock: Clock, time: number): boolean {
    return time < this.#released[clock];
  }

  /**
   * Releases full chunks.
   * @param exch the last times so far.
   * @returns whether there are any. Then the late events so far must get runs before the merge goes on.
   */
  release(exch: number, local: number): boolean {
    const chunks = this.#run.chunks.length;
    if (chunks === this.#begun.chunks) return false;
    const now = { chunks, exch, local };
    // The last released chunk was full when the previous one was begun, unless several were begun at once.
    const times = chunks === this.#begun.chunks + 1 ? this.#begun : now;
    this.#released = { ...times, chunks: chunks - HELD_CHUNKS };
    this.#begun = now;
    this.#state.notify();
    return true;
  }

  /** Releases all chunks. */
  end(): void {
    this.#isEnded = true;
    this.#state.notify();
  }

  /** Resolves when there is memory for more chunks. @throws ReadAgain, also if the merge would need more of them. */
  async waitForRoom(): Promise<void> {
    const hasRoom = (): boolean => this.#run.chunks.length - this.#mergedChunks() < MAX_CHUNKS;
    await this.#state.waitFor(() => hasRoom() || this.#isAwaited);
    // On one clock the merge is far behind the other.
    if (!hasRoom()) throw new ReadAgain();
  }

  /** Resolves when the merge may read a chunk, or when no chunk has this number. @throws ReadAgain. */
  async enter(clock: Clock, chunk: number): Promise<void> {
    this.#merged[clock] = chunk;
    this.#run.drop(this.#mergedChunks());
    const isReady = (): boolean => this.#isEnded || chunk < this.#released.chunks;
    this.#isAwaited = !isReady();
    this.#state.notify();
    await this.#state.waitFor(isReady);
    this.#isAwaited = false;
  }

  #mergedChunks(): number {
    return Math.min(this.#merged.exch, this.#merged.local);
  }
}
