import { Semaphore } from '../../../base/semaphore.js';
import { createDeferred, type Deferred } from '../../../base/wait.js';
import { createShutdownTimeoutError, SHUTDOWN_TIMEOUT_MS } from '../object-store.js';
import { type ManifestLocation, segmentName } from './manifest-objects.js';

/** Time after which buffered records are written. */
const FLUSH_MS = 5_000;
/** Number of buffered records at which they are written. */
const MAX_RECORDS = 500;
const CONCURRENT_PUTS = 8;

/** Lines of one month that become one segment. */
interface SegmentBatch {
  readonly month: string;
  readonly lines: string[];
  readonly written: Deferred<void>;
}

/** Writes the records of one run as segments. Records within five seconds form one segment per month. */
export class SegmentWriter {
  readonly #place: ManifestLocation;
  readonly #run: string;
  readonly #puts = new Semaphore(CONCURRENT_PUTS);
  readonly #writing = new Set<Promise<void>>();
  readonly #segments = new Map<string, number>();
  readonly #shutdownTimeoutMs: number;
  readonly #putAbort = new AbortController();
  #shutdownTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #batches = new Map<string, SegmentBatch>();
  #records = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param run unique name of the run. @param shutdownTimeoutMs time left after `flushSoon`. */
  constructor(place: ManifestLocation, run: string, shutdownTimeoutMs = SHUTDOWN_TIMEOUT_MS) {
    this.#place = place;
    this.#run = run;
    this.#shutdownTimeoutMs = shutdownTimeoutMs;
  }

  /** Number of segments written so far, by month. */
  get segments(): ReadonlyMap<string, number> {
    return this.#segments;
  }

  /** Resolves when the segment is stored. @throws TickhaulError of the store. */
  append(month: string, line: string): Promise<void> {
    const batch = this.#batches.get(month) ?? { month, lines: [], written: createDeferred() };
    this.#batches.set(month, batch);
    batch.lines.push(line, '\n');
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    if (++this.#records >= MAX_RECORDS || this.#shutdownTimer) void this.flush();
    return batch.written.promise;
  }

  /** Writes all buffered records and waits for them. Errors are thrown by `append`. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batches = this.#batches;
    this.#batches = new Map();
    this.#records = 0;
    for (const batch of batches.values()) {
      const done = this.#puts.run(() => this.#write(batch)).then(batch.written.resolve, batch.written.reject);
      this.#writing.add(done);
      void done.then(() => this.#writing.delete(done));
    }
    await Promise.all(this.#writing);
  }

  /** Starts the time limit for all writes of this run, and flushes. */
  flushSoon(): void {
    // A signal that is aborted after `close` must not start a timer, which would keep the process alive.
    if (this.#isClosed) return;
    const { store, root } = this.#place;
    this.#shutdownTimer ??= setTimeout(
      () => this.#putAbort.abort(createShutdownTimeoutError(`${store.name}/${root}`)),
      this.#shutdownTimeoutMs,
    );
    void this.flush();
  }

  /** Flushes for the last time. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    clearTimeout(this.#shutdownTimer);
  }

  async #write({ month, lines }: SegmentBatch): Promise<void> {
    const { store, root } = this.#place;
    const name = segmentName(Date.now(), this.#run, ++this.#count);
    await store.put(`${root}${month}${name}`, Buffer.from(lines.join('')), this.#putAbort.signal);
    this.#segments.set(month, (this.#segments.get(month) ?? 0) + 1);
  }
}
