import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { formatMinute, intersectMinutes, type Minute, type MinuteRange } from '../../dataset/minute.js';
import type { SliceIndex } from '../cache/slice-index.js';
import type { SliceFile } from '../cache/slice-path.js';
import type { FeedRun } from '../feed-run.js';
import type { KeyedRequest } from '../request/shared-slices.js';
import { MAX_REQUEST_MINUTES } from '../request/slice-request.js';
import { type Keep, type SliceText, unpackSlice } from '../unpack/unpack-slice.js';
import { ReservedText } from './text-budget.js';

/** A series of requests for the same filters, which fit into one request. */
export interface FeedPart {
  readonly exchange: string;
  /** As in requests; undefined for the whole exchange. */
  readonly filters: string | undefined;
  /** Cache key of the filters. */
  readonly key: string;
  readonly range: MinuteRange;
  readonly index: SliceIndex;
  /** Number of parts that share the run's requests; this part gets one share. */
  readonly partCount: number;
}

/** A slice opened for reading. */
export interface OpenSlice {
  readonly text: SliceText;
  /** The minutes to read. */
  readonly selected: MinuteRange;
  /** The minutes in the slice. */
  readonly available: MinuteRange;
  /** Releases the slice's memory; to be called after it was read. */
  readonly done: () => void;
}

/** Maximum number of cached or requested slices ahead of the one being read. */
const MAX_SLICES_AHEAD = 64;
/** Maximum bytes of text, and of uncached slices, held in memory; later slices stay on disk. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Maximum bytes in flight, estimated by the largest slice so far. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;

/** Maximum bytes of text kept in memory of a slice that is read next. */
const MAX_NEXT_TEXT_BYTES = 48 * 1024 * 1024;

/** A slice to open; `heldBytes` of memory are reserved until then. */
interface PendingSlice {
  readonly selected: MinuteRange;
  readonly available: MinuteRange;
  readonly heldBytes: number;
  /** @param keep decides how much of the text may stay in memory, in addition to `heldBytes`. */
  open(keep: Keep): Promise<SliceText>;
  /** The cached file; undefined if the slice is not cached. */
  readonly file?: SliceFile | undefined;
}

/**
 * Reads the slices of a part in order and fetches missing ones ahead. The first response says how many
 * minutes to request; after it, as many requests run in parallel as the run allows. An error is thrown in the
 * position of its slice, and no request starts after it.
 */
export class SlicePrefetcher {
  readonly #run: FeedRun;
  readonly #part: FeedPart;
  readonly #signal: AbortSignal;
  readonly #queue: Promise<readonly PendingSlice[]>[] = [];
  readonly #ready: PendingSlice[] = [];
  #cursor: Minute;
  #suggestedMinutes: number | undefined;
  #requests = 0;
  readonly #reserved: ReservedText;
  /** Size of the largest slice so far, in bytes. */
  #largestBytes = 1;
  #hasFailed = false;

  constructor(run: FeedRun, part: FeedPart, signal: AbortSignal) {
    this.#run = run;
    this.#part = part;
    this.#signal = signal;
    this.#reserved = new ReservedText(run.texts);
    this.#cursor = part.range.start;
  }

  /** Opens the next slice; undefined at the end. Calls must not overlap. */
  async next(): Promise<OpenSlice | undefined> {
    this.#fill();
    while (this.#ready.length === 0) {
      const [head] = this.#queue;
      if (!head) return undefined;
      this.#ready.push(...(await head));
      this.#queue.shift();
      this.#fill();
    }
    const waiting = this.#ready.shift();
    return waiting && this.#open(waiting);
  }

  /** Releases the memory of all slices; slices that arrive later hold none. */
  close(): void {
    this.#reserved.close();
  }

  async #open(waiting: PendingSlice): Promise<OpenSlice | undefined> {
    const { selected, available, file } = waiting;
    let { heldBytes } = waiting;
    const release = (): void => {
      this.#reserved.release(heldBytes);
      heldBytes = 0;
      this.#fill();
    };
    const keep = (bytes: number): boolean => {
      const fits = heldBytes + bytes <= MAX_NEXT_TEXT_BYTES && this.#reserved.tryReserve(bytes);
      if (fits) heldBytes += bytes;
      else release();
      return fits;
    };
    try {
      const text = await waiting.open(keep);
      return { text, selected, available, done: release };
    } catch (error) {
      release();
      const isLost = error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'missing');
      if (!file || !isLost) throw error;
      await this.#fetchAgain(selected, file, error);
    }
    return this.next();
  }

  /** Fetches a slice again whose file is damaged or was removed. */
  async #fetchAgain(selected: MinuteRange, file: SliceFile, error: TickhaulError): Promise<void> {
    const { cache, shared, offline, emit } = this.#run;
    const name = `${cache.feeds}/${file.path}`;
    const problem = error.code === 'corrupt' ? `${name}: ${error.message}` : error.message;
    if (offline) throw new TickhaulError(error.code, `${problem}; run without --offline to fetch it again`);
    emit({ event: 'warning', message: `${problem}; fetching it again` });
    if (error.code === 'corrupt') await cache.drop(file);
    shared.forget(this.#toRequest(selected));
    this.#ready.unshift(...(await this.#fetch(selected, true)));
  }

  #fill(): void {
    while (!this.#hasFailed && this.#queue.length < MAX_SLICES_AHEAD && this.#cursor < this.#part.range.end) {
      const file = this.#part.index.find(this.#cursor);
      if (file) this.#queue.push(Promise.resolve([this.#nextCached(file)]));
      else if (!this.#canFetch()) return;
      else this.#queue.push(this.#fetchNext());
    }
  }

  #canFetch(): boolean {
    const { partCount } = this.#part;
    const isFirst = this.#suggestedMinutes === undefined;
    const maxRequests = isFirst
      ? 1
      : Math.min(this.#run.concurrency.limit, MAX_IN_FLIGHT_BYTES / this.#largestBytes) / partCount;
    return (
      this.#requests < Math.max(1, Math.floor(maxRequests)) &&
      ((this.#reserved.bytes < MAX_HELD_BYTES && this.#run.texts.left > 0) || this.#queue.length === 0)
    );
  }

  #nextCached(file: SliceFile): PendingSlice {
    const selected = { start: this.#cursor, end: Math.min(file.end, this.#part.range.end) };
    this.#cursor = selected.end;
    return this.#toPendingFile(file, selected);
  }

  #toPendingFile(file: SliceFile, selected: MinuteRange): PendingSlice {
    const open = async (keep: Keep): Promise<SliceText> => {
      const { cache, bufferBytes } = this.#run;
      return unpackSlice(await cache.read(file), file.encoding, keep, bufferBytes);
    };
    return { selected, available: file, heldBytes: 0, open, file };
  }

  #fetchNext(): Promise<readonly PendingSlice[]> {
    const { index, range } = this.#part;
    const start = this.#cursor;
    const end = index.findFirst({ start, end: Math.min(start + (this.#suggestedMinutes ?? 1), range.end) });
    this.#cursor = end;
    this.#requests++;
    return this.#fetch({ start, end }, false).finally(() => {
      this.#requests--;
      this.#fill();
    });
  }

  /**
   * Requests the whole range, if necessary several times, since a response may have fewer minutes than
   * requested. An error is thrown when its slice is opened, after the slices before it.
   * @param isNext whether the slice is read next, and so stays in memory.
   */
  async #fetch(range: MinuteRange, isNext: boolean): Promise<readonly PendingSlice[]> {
    const slices: PendingSlice[] = [];
    for (let start = range.start; start < range.end; ) {
      const rest = { start, end: range.end };
      const slice = await this.#fetchSlice(rest, isNext).catch((error: unknown): PendingSlice => {
        this.#hasFailed = true;
        return { selected: rest, available: rest, heldBytes: 0, open: () => Promise.reject(error) };
      });
      slices.push(slice);
      start = slice.selected.end;
    }
    return slices;
  }

  async #fetchSlice(range: MinuteRange, isNext: boolean): Promise<PendingSlice> {
    const shared = await this.#run.shared.fetch(this.#run, this.#toRequest(range), this.#signal);
    this.#suggestedMinutes = Math.min(
      shared.suggestedMinutes ?? this.#suggestedMinutes ?? 1,
      MAX_REQUEST_MINUTES,
    );
    const { file, fetched } = shared;
    // A slice fetched for another replay may end after this range.
    if (file && file.end > this.#cursor) this.#part.index.add(file);
    const selected = intersectMinutes(shared, range) ?? range;
    if (file && !fetched) return this.#toPendingFile(file, selected);
    if (!fetched) throw new Error('a slice has neither file nor content');
    const { slice, text } = fetched;
    const { bytes, encoding } = slice;
    this.#largestBytes = Math.max(this.#largestBytes, bytes.length);
    const heldBytes = text.isKept ? text.size : bytes.length;
    const isHeld = this.#reserved.bytes + heldBytes <= MAX_HELD_BYTES && this.#reserved.tryReserve(heldBytes);
    if (isHeld) return { selected, available: shared, heldBytes, open: async () => text };
    if (file && !isNext) return this.#toPendingFile(file, selected);
    this.#reserved.reserve(bytes.length);
    const open = (keep: Keep): Promise<SliceText> =>
      unpackSlice(bytes, encoding, keep, this.#run.bufferBytes);
    return { selected, available: shared, heldBytes: bytes.length, open };
  }

  #toRequest(range: MinuteRange): KeyedRequest {
    const { exchange, filters, key } = this.#part;
    return { exchange, filters, key, ...range };
  }
}

/** The minutes of a part that are not in the cache. */
export function* listMissingMinutes({ index, range }: FeedPart): Generator<Minute> {
  for (let minute = range.start; minute < range.end; minute++) if (!index.find(minute)) yield minute;
}

/** Formats minutes for messages. */
export function describeMinutes(minutes: readonly Minute[]): string {
  const [first] = minutes;
  if (first === undefined) return 'nothing';
  const more = minutes.length > 1 ? ` and ${plural(minutes.length - 1, 'more minute')}` : '';
  return `${formatMinute(first)}${more}`;
}
