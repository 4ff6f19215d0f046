import pLimit from 'p-limit';
import { createShutdownTimeoutError, SHUTDOWN_TIMEOUT_MS } from '../shutdown-timeout.js';
import { type ManifestLocation, segmentName } from './manifest-keys.js';

/** Milliseconds after which what waits is written, and how many records are. */
const FLUSH_MS = 5_000;
const MAX_RECORDS = 500;
const CONCURRENT_PUTS = 8;

/** Lines of one month that are to be one segment. */
interface SegmentBatch {
  readonly month: string;
  readonly lines: string[];
  readonly written: Promise<void>;
  readonly resolveWith: (writing: Promise<void>) => void;
}

/** Writes the records of one run as segments. What comes within five seconds goes into one a month. */
export class SegmentWriter {
  readonly #place: ManifestLocation;
  readonly #run: string;
  readonly #limit = pLimit(CONCURRENT_PUTS);
  readonly #writing = new Set<Promise<void>>();
  readonly #segments = new Map<string, number>();
  readonly #farewellMs: number;
  readonly #giveUp = new AbortController();
  #farewell: NodeJS.Timeout | undefined;
  #isClosed = false;
  #batches = new Map<string, SegmentBatch>();
  #records = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param run a name that no other run has. @param farewellMs milliseconds that are left after `hurry`. */
  constructor(place: ManifestLocation, run: string, farewellMs = SHUTDOWN_TIMEOUT_MS) {
    this.#place = place;
    this.#run = run;
    this.#farewellMs = farewellMs;
  }

  /** How many were written so far, by month. */
  get segments(): ReadonlyMap<string, number> {
    return this.#segments;
  }

  /** Resolves when the segment stands. @throws TickhaulError of the store. */
  append(month: string, line: string): Promise<void> {
    const batch = this.#batches.get(month) ?? createBatch(month);
    this.#batches.set(month, batch);
    batch.lines.push(line, '\n');
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    if (++this.#records >= MAX_RECORDS || this.#farewell) void this.flush();
    return batch.written;
  }

  /** Resolves when all that was appended stands, or failed to: appends tell. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batches = this.#batches;
    this.#batches = new Map();
    this.#records = 0;
    for (const batch of batches.values()) {
      const writing = this.#limit(() => this.#write(batch));
      batch.resolveWith(writing);
      const done = writing.then(
        () => {},
        () => {},
      );
      this.#writing.add(done);
      void done.then(() => this.#writing.delete(done));
    }
    await Promise.all(this.#writing);
  }

  /** From now on there are some seconds for all that is written: what was done is worth its record, and no more. */
  hurry(): void {
    // A signal that is aborted later must not keep the process.
    if (this.#isClosed) return;
    const { store, root } = this.#place;
    this.#farewell ??= setTimeout(
      () => this.#giveUp.abort(createShutdownTimeoutError(`${store.name}/${root}`)),
      this.#farewellMs,
    );
    void this.flush();
  }

  /** As `flush`, for the last time. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    clearTimeout(this.#farewell);
  }

  async #write({ month, lines }: SegmentBatch): Promise<void> {
    const { store, root } = this.#place;
    const name = segmentName(Date.now(), this.#run, ++this.#count);
    await store.put(`${root}${month}${name}`, Buffer.from(lines.join('')), this.#giveUp.signal);
    this.#segments.set(month, (this.#segments.get(month) ?? 0) + 1);
  }
}

function createBatch(month: string): SegmentBatch {
  let settle: SegmentBatch['resolveWith'] = () => {};
  const written = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { month, lines: [], written, resolveWith: settle };
}
