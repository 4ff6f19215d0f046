import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { judgeError, TickhaulError } from '../../../base/errors.js';
import { Semaphore } from '../../../base/semaphore.js';
import { createDeferred, type Deferred } from '../../../base/wait.js';
import { DownloadHistory } from '../../manifest/download-history.js';
import type { Manifest, ManifestOptions, ManifestScopes } from '../../manifest/manifest.js';
import type { ManifestRecord } from '../../manifest-record.js';
import { createShutdownTimeoutError, type ObjectStore, SHUTDOWN_TIMEOUT_MS } from '../object-store.js';
import { compactMonths, needsCompaction } from './compact-months.js';
import {
  listScopes,
  type ManifestLocation,
  manifestRoot,
  monthPrefix,
  type ObjectsByMonth,
  segmentName,
} from './manifest-objects.js';
import { formatSegmentLine, NewestRecords } from './newest-records.js';
import { type LiveObjects, readMonths } from './read-months.js';

interface StoreManifestOptions extends ManifestOptions {
  /** Returns milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
  /** Time left for writes after `flushSoon`. */
  readonly shutdownTimeoutMs?: number | undefined;
}

/**
 * Opens the manifest of a destination in a bucket: immutable segments of JSON lines, by exchange, data type
 * and month (docs/spec/s3-layout.md#segments). The newest record of a path counts, in whichever segment it
 * is. Several processes may append at once; each has its own records and those that existed when it opened
 * the manifest.
 * @param prefix of the destination: empty, or with a slash at its end.
 * @param scope records to read. Appended records should be in it, so that they are newer than existing ones,
 * even if a clock is wrong.
 * @throws TickhaulError of the store; the abort reason.
 */
export async function openStoreManifest(
  store: ObjectStore,
  prefix: string,
  { warn, signal, clock = Date.now, shutdownTimeoutMs }: StoreManifestOptions,
  scope: ManifestScopes = {},
): Promise<Manifest> {
  const place = { store, root: manifestRoot(prefix) };
  // Many concurrent requests listen to this signal.
  if (signal) setMaxListeners(0, signal);
  const history = new DownloadHistory();
  const newest = new NewestRecords((record) => history.add(record));
  const readKeys = new Set<string>();
  const listed = await listScopes(place, scope, signal);
  const months = await readMonths(place, listed, newest, warn, signal, readKeys);
  return new StoreManifest({
    ...{ place, prefix, scope, history, newest, months, readKeys, signal, clock, shutdownTimeoutMs },
  });
}

interface OpenedManifest {
  readonly place: ManifestLocation;
  readonly prefix: string;
  readonly scope: ManifestScopes;
  readonly history: DownloadHistory;
  readonly newest: NewestRecords;
  /** At the time when they were read. */
  readonly months: ReadonlyMap<string, LiveObjects>;
  /** Keys that need not be read again. */
  readonly readKeys: Set<string>;
  readonly signal: AbortSignal | undefined;
  readonly clock: () => number;
  readonly shutdownTimeoutMs: number | undefined;
}

class StoreManifest implements Manifest {
  readonly #opened: OpenedManifest;
  readonly #newest: NewestRecords;
  /** Records that `reread` has found since the manifest was opened. */
  readonly #later = new NewestRecords();
  readonly #run = randomBytes(6).toString('hex');
  readonly #writer: SegmentWriter;
  /** When each record was written that is not yet known to be stored, by path. */
  readonly #pending = new Map<string, number>();
  readonly #isEnding = new AbortController();

  constructor(opened: OpenedManifest) {
    this.#opened = opened;
    this.#newest = opened.newest;
    this.#writer = new SegmentWriter(opened.place, this.#run, opened.shutdownTimeoutMs);
  }

  get history(): DownloadHistory {
    return this.#opened.history;
  }

  get size(): number {
    return this.#newest.size;
  }

  has(path: string): boolean {
    return this.#newest.has(path);
  }

  get(path: string): ManifestRecord | undefined {
    return this.#newest.get(path);
  }

  records(): IterableIterator<ManifestRecord> {
    return this.#newest.records();
  }

  /** Lists again, but reads only objects that have not been read. */
  async reread(
    scope: ManifestScopes = this.#opened.scope,
    signal = this.#opened.signal,
  ): Promise<Pick<Manifest, 'has' | 'get'>> {
    const { place, readKeys } = this.#opened;
    const own = `-${this.#run}-`;
    const newObjects: ObjectsByMonth = new Map();
    for (const [month, objects] of await listScopes(place, scope, signal)) {
      const unread = objects.filter(({ key, name }) => !readKeys.has(key) && !name.includes(own));
      if (unread.length > 0) newObjects.set(month, unread);
    }
    await readMonths(place, newObjects, this.#later, () => {}, signal, readKeys);
    const latest = (path: string): NewestRecords =>
      (this.#later.writtenAt(path) ?? 0) > (this.#newest.writtenAt(path) ?? 0) ? this.#later : this.#newest;
    return { has: (path) => latest(path).has(path), get: (path) => latest(path).get(path) };
  }

  /** Records are buffered for some seconds; call `flush` to write them sooner. */
  async append(record: ManifestRecord): Promise<void> {
    const { path, file } = record;
    const known = [this.#newest.writtenAt(path), this.#later.writtenAt(path), this.#pending.get(path)];
    const written = Math.max(this.#opened.clock(), ...known.map((before = 0) => before + 1));
    const line = formatSegmentLine({ record, written });
    this.#pending.set(path, written);
    try {
      await this.#writer.append(monthPrefix(file), line);
      this.#newest.add({ record, written }, line);
    } catch (error) {
      // Later records would fail as well.
      if (error instanceof TickhaulError && judgeError(error).affectsRun) this.flushSoon();
      throw error;
    } finally {
      if (this.#pending.get(path) === written) this.#pending.delete(path);
    }
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  flushSoon(): void {
    if (this.#isEnding.signal.aborted) return;
    this.#isEnding.abort();
    this.#writer.flushSoon();
  }

  /** Compacts crowded months if records were written. A run that only reads writes nothing. */
  async close(): Promise<void> {
    await this.#writer.close();
    const { place, prefix, months } = this.#opened;
    const { segments } = this.#writer;
    const signal = AbortSignal.any([
      this.#isEnding.signal,
      ...(this.#opened.signal ? [this.#opened.signal] : []),
    ]);
    if (segments.size === 0 || signal.aborted) return;
    const crowded = new Set([...months.keys(), ...segments.keys()].filter((month) => this.#isCrowded(month)));
    if (crowded.size > 0) await compactMonths(place, prefix, this.#run, [...crowded], signal);
  }

  #isCrowded(month: string): boolean {
    const { covered, loose = 0, bases = 0, baseBytes = 0 } = this.#opened.months.get(month) ?? {};
    const own = this.#writer.segments.get(month) ?? 0;
    return (covered?.size ?? 0) > 0 || needsCompaction({ loose: loose + own, bases, baseBytes });
  }
}

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
class SegmentWriter {
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
