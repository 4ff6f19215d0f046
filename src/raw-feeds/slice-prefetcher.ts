import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { formatMinute, intersectMinutes, type Minute, type MinuteRange } from '../day-files/day.js';
import { type FeedReadContext, ReservedText } from './feed-read-context.js';
import type { KeyedRequest } from './slices/shared-slices.js';
import type { SliceFile, SliceIndex } from './slices/slice-index.js';
import { MAX_REQUEST_MINUTES } from './slices/slice-request.js';
import { type Keep, type SliceText, unpackSlice } from './slices/unpack-slice.js';

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

/** Maximum number of cached or requested slices ahead of the one being read. */
const MAX_SLICES_AHEAD = 64;
/** Maximum bytes of text, and of uncached slices, held in memory; later slices stay on disk. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Maximum bytes in flight, estimated by the largest slice so far. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;

/** A slice to open; `heldBytes` of memory are reserved until then. */
export interface UnopenedSlice {
  /** The minutes to read. */
  readonly selected: MinuteRange;
  /** The minutes in the slice. */
  readonly available: MinuteRange;
  readonly heldBytes: number;
  /** @param keep decides how much of the text may stay in memory, in addition to `heldBytes`. */
  open(keep: Keep): Promise<SliceText>;
  /** The cached file; undefined if the slice is not cached. */
  readonly file?: SliceFile | undefined;
}

/** Slices of one request, or one cached slice. */
interface Arrival {
  /** Undefined until the response has arrived. */
  slices?: readonly UnopenedSlice[];
  /** Resolves when `slices` is set. */
  readonly arrived?: Promise<void>;
}

/**
 * Lists the slices of a part in order and fetches missing ones ahead. The first response says how many
 * minutes to request; after it, as many requests run in parallel as the run allows. An error is thrown when
 * its slice is opened, and no request starts after it.
 */
export class SlicePrefetcher {
  /** Memory of the part's slices. */
  readonly reserved: ReservedText;
  readonly #run: FeedReadContext;
  readonly #part: FeedPart;
  readonly #signal: AbortSignal;
  readonly #onArrival: () => void;
  readonly #queue: Arrival[] = [];
  readonly #ready: UnopenedSlice[] = [];
  #cursor: Minute;
  #suggestedMinutes: number | undefined;
  #requests = 0;
  /** Size of the largest slice so far, in bytes. */
  #largestBytes = 1;
  #hasFailed = false;

  /** @param onArrival called when slices of a request have arrived. */
  constructor(run: FeedReadContext, part: FeedPart, signal: AbortSignal, onArrival: () => void) {
    this.#run = run;
    this.#part = part;
    this.#signal = signal;
    this.#onArrival = onArrival;
    this.reserved = new ReservedText(run.texts);
    this.#cursor = part.range.start;
  }

  /** Returns the next slice; undefined if it has not arrived, and at the end. */
  take(): UnopenedSlice | undefined {
    this.fill();
    while (this.#ready.length === 0 && this.#queue[0]?.slices) {
      this.#ready.push(...this.#queue[0].slices);
      this.#queue.shift();
      this.fill();
    }
    return this.#ready.shift();
  }

  /** Waits for the next slice; undefined at the end. */
  async next(): Promise<UnopenedSlice | undefined> {
    for (;;) {
      const slice = this.take();
      if (slice || this.#queue.length === 0) return slice;
      await this.#queue[0]?.arrived;
    }
  }

  /**
   * Fetches a slice again whose file is damaged or was removed. @throws the error with which it was opened, if
   * it is another one.
   */
  async fetchAgain({ selected, file }: UnopenedSlice, error: unknown): Promise<readonly UnopenedSlice[]> {
    const isLost = error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'missing');
    if (!file || !isLost) throw error;
    const { cache, shared, offline, emit } = this.#run;
    const name = `${cache.feeds}/${file.path}`;
    const problem = error.code === 'corrupt' ? `${name}: ${error.message}` : error.message;
    if (offline) throw new TickhaulError(error.code, `${problem}; run without --offline to fetch it again`);
    emit({ event: 'warning', message: `${problem}; fetching it again` });
    if (error.code === 'corrupt') await cache.drop(file);
    shared.forget(this.#toRequest(selected));
    return this.#fetch(selected, true);
  }

  /** Starts requests, as far as memory and the run's limits allow. */
  fill(): void {
    while (!this.#hasFailed && this.#queue.length < MAX_SLICES_AHEAD && this.#cursor < this.#part.range.end) {
      const file = this.#part.index.find(this.#cursor);
      if (file) this.#queue.push({ slices: [this.#nextCached(file)] });
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
      ((this.reserved.bytes < MAX_HELD_BYTES && this.#run.texts.left > 0) || this.#queue.length === 0)
    );
  }

  #nextCached(file: SliceFile): UnopenedSlice {
    const selected = { start: this.#cursor, end: Math.min(file.end, this.#part.range.end) };
    this.#cursor = selected.end;
    return this.#toPendingFile(file, selected);
  }

  #toPendingFile(file: SliceFile, selected: MinuteRange): UnopenedSlice {
    const open = async (keep: Keep): Promise<SliceText> => {
      const { cache, bufferBytes } = this.#run;
      return unpackSlice(await cache.read(file), file.encoding, keep, bufferBytes);
    };
    return { selected, available: file, heldBytes: 0, open, file };
  }

  #fetchNext(): Arrival {
    const { index, range } = this.#part;
    const start = this.#cursor;
    const end = index.findFirst({ start, end: Math.min(start + (this.#suggestedMinutes ?? 1), range.end) });
    this.#cursor = end;
    this.#requests++;
    const arrival: Arrival = {
      arrived: this.#fetch({ start, end }, false).then((slices) => {
        arrival.slices = slices;
        this.#requests--;
        this.fill();
        this.#onArrival();
      }),
    };
    return arrival;
  }

  /**
   * Requests the whole range, if necessary several times, since a response may have fewer minutes than
   * requested. An error is thrown when its slice is opened, after the slices before it.
   * @param isNext whether the slice is read next, and so stays in memory.
   */
  async #fetch(range: MinuteRange, isNext: boolean): Promise<readonly UnopenedSlice[]> {
    const slices: UnopenedSlice[] = [];
    for (let start = range.start; start < range.end; ) {
      const rest = { start, end: range.end };
      const slice = await this.#fetchSlice(rest, isNext).catch((error: unknown): UnopenedSlice => {
        this.#hasFailed = true;
        return { selected: rest, available: rest, heldBytes: 0, open: () => Promise.reject(error) };
      });
      slices.push(slice);
      start = slice.selected.end;
    }
    return slices;
  }

  async #fetchSlice(range: MinuteRange, isNext: boolean): Promise<UnopenedSlice> {
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
    const isHeld = this.reserved.bytes + heldBytes <= MAX_HELD_BYTES && this.reserved.tryReserve(heldBytes);
    // Other replays may read the same text.
    const sharedText = { ...text, free() {} };
    if (isHeld) return { selected, available: shared, heldBytes, open: async () => sharedText };
    if (file && !isNext) return this.#toPendingFile(file, selected);
    this.reserved.reserve(bytes.length);
    const open = (keep: Keep): Promise<SliceText> =>
      unpackSlice(bytes, encoding, keep, this.#run.bufferBytes);
    return { selected, available: shared, heldBytes: bytes.length, open };
  }

  #toRequest(range: MinuteRange): KeyedRequest {
    const { exchange, filters, key } = this.#part;
    return { exchange, filters, key, ...range };
  }
}

const MINUTES_PER_HOUR = 60;

/** The minutes of a part that are not in the cache, in pieces within an hour; a part may be of years. */
export function* listMissing({ index, range }: FeedPart): Generator<MinuteRange> {
  for (let start = range.start; start < range.end; ) {
    const file = index.find(start);
    const hour = Math.floor(start / MINUTES_PER_HOUR) + 1;
    const end = file?.end ?? index.findFirst({ start, end: Math.min(hour * MINUTES_PER_HOUR, range.end) });
    if (!file) yield { start, end };
    start = end;
  }
}

/**
 * The minutes of feeds that are not in the cache, for messages; undefined if there are none.
 * @param isCounted whether the minutes of an hour count, by the first of them.
 */
export function describeMissing(
  feeds: readonly { readonly parts: readonly FeedPart[] }[],
  isCounted: (minute: Minute) => boolean = () => true,
): string | undefined {
  let first: Minute | undefined;
  let count = 0;
  for (const { parts } of feeds) {
    const before = count;
    for (const part of parts) {
      for (const { start, end } of listMissing(part)) {
        if (!isCounted(start)) continue;
        first ??= start;
        count += end - start;
      }
      // The other parts of a feed have the same minutes.
      if (count > before) break;
    }
  }
  if (first === undefined) return undefined;
  const more = count > 1 ? ` and ${plural(count - 1, 'more minute')}` : '';
  return `${formatMinute(first)}${more}`;
}
