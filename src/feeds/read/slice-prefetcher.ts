import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { formatMinute, intersectMinutes, type Minute, type MinuteRange } from '../../dataset/minute.js';
import type { SliceIndex } from '../cache/slice-index.js';
import type { SliceFile } from '../cache/slice-path.js';
import type { FeedRun } from '../feed-run.js';
import type { KeyedRequest } from '../request/shared-slices.js';
import { MAX_REQUEST_MINUTES } from '../request/slice-request.js';
import { MAX_NEXT_TEXT_BYTES, type SliceText, unpackSlice } from '../unpack/unpack-slice.js';

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
  readonly share: number;
}

/** A slice opened for reading. */
export interface OpenSlice {
  readonly text: SliceText;
  /** The minutes to read. */
  readonly wanted: MinuteRange;
  /** The minutes in the slice. */
  readonly has: MinuteRange;
}

/** Maximum number of cached or requested slices ahead of the one being read. */
const MAX_SLICES_AHEAD = 64;
/** Maximum bytes of text, and of uncached slices, held in memory; later slices stay on disk. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Maximum bytes in flight, estimated by the largest slice so far. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;

/** Up to this number of parts each part has the full budgets; with more parts each has less. */
const READERS_WITH_FULL_BUDGET = 4;
const MIN_SHARE_BYTES = 1024 * 1024;

/** A slice to be opened, and the memory that it holds until then. */
interface PendingSlice {
  readonly wanted: MinuteRange;
  readonly has: MinuteRange;
  readonly held: number;
  open(): Promise<SliceText>;
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
  #size: number | undefined;
  #fetching = 0;
  #held = 0;
  /** Size of the largest slice so far, in bytes. */
  #largest = 1;
  #hasFailed = false;

  constructor(run: FeedRun, part: FeedPart, signal: AbortSignal) {
    this.#run = run;
    this.#part = part;
    this.#signal = signal;
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

  async #open(waiting: PendingSlice): Promise<OpenSlice | undefined> {
    const { wanted, has, file, held } = waiting;
    try {
      const text = await waiting.open();
      return { text, wanted, has };
    } catch (error) {
      const isLost = error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'missing');
      if (!file || !isLost) throw error;
      await this.#fetchAgain(wanted, file, error);
    } finally {
      this.#held -= held;
      this.#fill();
    }
    return this.next();
  }

  /** Fetches a slice again whose file is damaged or was removed. */
  async #fetchAgain(wanted: MinuteRange, file: SliceFile, error: TickhaulError): Promise<void> {
    const { cache, shared, offline, emit } = this.#run;
    const name = `${cache.feeds}/${file.path}`;
    const what = error.code === 'corrupt' ? `${name}: ${error.message}` : error.message;
    if (offline) throw new TickhaulError(error.code, `${what}; run without --offline to fetch it again`);
    emit({ event: 'warning', message: `${what}; fetching it again` });
    if (error.code === 'corrupt') await cache.drop(file);
    shared.forget(this.#requestOf(wanted));
    this.#ready.unshift(...(await this.#fetch(wanted, true)));
  }

  #fill(): void {
    while (!this.#hasFailed && this.#queue.length < MAX_SLICES_AHEAD && this.#cursor < this.#part.range.end) {
      const file = this.#part.index.at(this.#cursor);
      if (file) this.#queue.push(Promise.resolve([this.#stored(file)]));
      else if (!this.#mayFetch()) return;
      else this.#queue.push(this.#fetchNext());
    }
  }

  #mayFetch(): boolean {
    const { share } = this.#part;
    const isFirst = this.#size === undefined;
    const most = isFirst
      ? 1
      : Math.min(this.#run.concurrency.limit, MAX_IN_FLIGHT_BYTES / this.#largest) / share;
    return (
      this.#fetching < Math.max(1, Math.floor(most)) &&
      (this.#held < this.#shareOf(MAX_HELD_BYTES) || this.#queue.length === 0)
    );
  }

  #stored(file: SliceFile): PendingSlice {
    const wanted = { start: this.#cursor, end: Math.min(file.end, this.#part.range.end) };
    this.#cursor = wanted.end;
    return this.#waitingOnDisk(file, wanted);
  }

  #waitingOnDisk(file: SliceFile, wanted: MinuteRange): PendingSlice {
    const open = async (): Promise<SliceText> => {
      return unpackSlice(await this.#run.cache.read(file), file.encoding, this.#shareOf(MAX_NEXT_TEXT_BYTES));
    };
    return { wanted, has: file, held: 0, open, file };
  }

  #fetchNext(): Promise<readonly PendingSlice[]> {
    const { index, range } = this.#part;
    const start = this.#cursor;
    const end = index.firstOf({ start, end: Math.min(start + (this.#size ?? 1), range.end) });
    this.#cursor = end;
    this.#fetching++;
    return this.#fetch({ start, end }, false).finally(() => {
      this.#fetching--;
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
      const slice = await this.#fetchOne(rest, isNext).catch((error: unknown): PendingSlice => {
        this.#hasFailed = true;
        return { wanted: rest, has: rest, held: 0, open: () => Promise.reject(error) };
      });
      slices.push(slice);
      start = slice.wanted.end;
    }
    return slices;
  }

  async #fetchOne(range: MinuteRange, isNext: boolean): Promise<PendingSlice> {
    const has = await this.#run.shared.fetch(this.#run, this.#requestOf(range), this.#signal);
    this.#size = Math.min(has.suggested ?? this.#size ?? 1, MAX_REQUEST_MINUTES);
    const { file, fetched } = has;
    // A slice fetched for another replay may end after this range.
    if (file && file.end > this.#cursor) this.#part.index.add(file);
    const wanted = intersectMinutes(has, range) ?? range;
    if (file && !fetched) return this.#waitingOnDisk(file, wanted);
    if (!fetched) throw new Error('a slice that is nowhere');
    const { slice, text } = fetched;
    const { bytes, encoding } = slice;
    this.#largest = Math.max(this.#largest, bytes.length);
    const isHeld = isNext || this.#held + text.size <= this.#shareOf(MAX_HELD_BYTES);
    if (file && !isHeld) return this.#waitingOnDisk(file, wanted);
    this.#held += isHeld ? text.size : bytes.length;
    if (isHeld) return { wanted, has, held: text.size, open: async () => text };
    return {
      wanted,
      has,
      held: bytes.length,
      open: () => unpackSlice(bytes, encoding, this.#shareOf(MAX_NEXT_TEXT_BYTES)),
    };
  }

  #shareOf(most: number): number {
    const share = (most * READERS_WITH_FULL_BUDGET) / Math.max(1, this.#run.shared.readers);
    return Math.max(MIN_SHARE_BYTES, Math.min(most, share));
  }

  #requestOf(range: MinuteRange): KeyedRequest {
    const { exchange, filters, key } = this.#part;
    return { exchange, filters, key, ...range };
  }
}

/** The minutes of a part that are not in the cache. */
export function* listMissingMinutes({ index, range }: FeedPart): Generator<Minute> {
  for (let minute = range.start; minute < range.end; minute++) if (!index.at(minute)) yield minute;
}

/** Formats minutes for messages. */
export function describeMinutes(minutes: readonly Minute[]): string {
  const [first] = minutes;
  if (first === undefined) return 'nothing';
  const more = minutes.length > 1 ? ` and ${plural(minutes.length - 1, 'more minute')}` : '';
  return `${formatMinute(first)}${more}`;
}
