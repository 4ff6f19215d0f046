import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { formatMinute, intersectMinutes, type Minute, type MinuteRange } from '../../dataset/minute.js';
import type { SliceIndex } from '../cache/slice-index.js';
import type { SliceFile } from '../cache/slice-path.js';
import type { FeedRun } from '../feed-run.js';
import type { KeyedRequest } from '../request/shared-slices.js';
import { MAX_REQUEST_MINUTES } from '../request/slice-request.js';
import { type Keep, type SliceText, unpackSlice } from '../unpack/unpack-slice.js';
import { HeldText } from './text-room.js';

/** One series of requests: what of an exchange fits into one. */
export interface FeedPart {
  readonly exchange: string;
  /** As requests have them; undefined for everything. */
  readonly filters: string | undefined;
  /** Of the filters, in the cache. */
  readonly key: string;
  readonly range: MinuteRange;
  readonly index: SliceIndex;
  /** Its share of the run's requests. */
  readonly share: number;
}

/** A slice that can be read, in its turn. */
export interface OpenSlice {
  readonly text: SliceText;
  /** The minutes of it that are wanted. */
  readonly wanted: MinuteRange;
  /** Those that it has. */
  readonly has: MinuteRange;
  /** To be called when it was read: its memory is free for others. */
  readonly done: () => void;
}

/** Slices that are known or on their way, at most, before the first of them is read. */
const MAX_SLICES_AHEAD = 64;
/** Bytes of text, and of slices that aren't kept, that wait in memory; what comes after waits on the disk. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Bytes that may be on their way at once, as far as can be told from those that came. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024;

/** Bytes of text that are kept of a slice that is read next. */
const MOST_KEPT = 48 * 1024 * 1024;

/** A slice before it is opened: how, and what it holds in memory until then. */
interface PendingSlice {
  readonly wanted: MinuteRange;
  readonly has: MinuteRange;
  readonly held: number;
  /** @param keep says how much of its text, beside what is held, may stay in memory. */
  open(keep: Keep): Promise<SliceText>;
  /** Where it is on disk. */
  readonly file?: SliceFile | undefined;
}

/**
 * The slices of a part, in order. Those that aren't in the cache are fetched ahead: after the first, whose answer says
 * how many minutes a request should be about, as many at once as the run bears. What fails for good is thrown in its
 * turn, and nothing is begun after it.
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
  readonly #held: HeldText;
  /** Bytes of the largest slice so far. */
  #largest = 1;
  #hasFailed = false;

  constructor(run: FeedRun, part: FeedPart, signal: AbortSignal) {
    this.#run = run;
    this.#part = part;
    this.#signal = signal;
    this.#held = new HeldText(run.texts);
    this.#cursor = part.range.start;
  }

  /**
   * The next slice, opened; undefined at the end. One call at a time.
   */
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

  /** Releases all memory that slices hold; what is still on its way holds none. */
  close(): void {
    this.#held.close();
  }

  async #open(waiting: PendingSlice): Promise<OpenSlice | undefined> {
    const { wanted, has, file } = waiting;
    let { held } = waiting;
    const release = (): void => {
      this.#held.release(held);
      held = 0;
      this.#fill();
    };
    const keep = (bytes: number): boolean => {
      const isRoom = held + bytes <= MOST_KEPT && this.#held.take(bytes);
      if (isRoom) held += bytes;
      else release();
      return isRoom;
    };
    try {
      const text = await waiting.open(keep);
      return { text, wanted, has, done: release };
    } catch (error) {
      release();
      const isLost = error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'missing');
      if (!file || !isLost) throw error;
      await this.#fetchAgain(wanted, file, error);
    }
    return this.next();
  }

  /** What is damaged on disk, or was removed meanwhile, is fetched again. */
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
      ((this.#held.bytes < MAX_HELD_BYTES && this.#run.texts.left > 0) || this.#queue.length === 0)
    );
  }

  #stored(file: SliceFile): PendingSlice {
    const wanted = { start: this.#cursor, end: Math.min(file.end, this.#part.range.end) };
    this.#cursor = wanted.end;
    return this.#waitingOnDisk(file, wanted);
  }

  #waitingOnDisk(file: SliceFile, wanted: MinuteRange): PendingSlice {
    const open = async (keep: Keep): Promise<SliceText> => {
      const { cache, bufferBytes } = this.#run;
      return unpackSlice(await cache.read(file), file.encoding, keep, bufferBytes);
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
   * Asks until the whole range is there: an answer may have fewer minutes than were asked for. What fails is thrown when
   * it is opened, after those before it.
   * @param isNext whether it is read at once, and so need not wait on the disk.
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
    // What others fetched may go on beyond what is asked for here.
    if (file && file.end > this.#cursor) this.#part.index.add(file);
    const wanted = intersectMinutes(has, range) ?? range;
    if (file && !fetched) return this.#waitingOnDisk(file, wanted);
    if (!fetched) throw new Error('a slice that is nowhere');
    const { slice, text } = fetched;
    const { bytes, encoding } = slice;
    this.#largest = Math.max(this.#largest, bytes.length);
    const held = text.isKept ? text.size : bytes.length;
    const isHeld = this.#held.bytes + held <= MAX_HELD_BYTES && this.#held.take(held);
    if (isHeld) return { wanted, has, held, open: async () => text };
    if (file && !isNext) return this.#waitingOnDisk(file, wanted);
    this.#held.hold(bytes.length);
    const open = (keep: Keep): Promise<SliceText> =>
      unpackSlice(bytes, encoding, keep, this.#run.bufferBytes);
    return { wanted, has, held: bytes.length, open };
  }

  #requestOf(range: MinuteRange): KeyedRequest {
    const { exchange, filters, key } = this.#part;
    return { exchange, filters, key, ...range };
  }
}

/** The minutes of a part that aren't in the cache. */
export function* listMissingMinutes({ index, range }: FeedPart): Generator<Minute> {
  for (let minute = range.start; minute < range.end; minute++) if (!index.at(minute)) yield minute;
}

/** For messages. */
export function describeMinutes(minutes: readonly Minute[]): string {
  const [first] = minutes;
  if (first === undefined) return 'nothing';
  const more = minutes.length > 1 ? ` and ${plural(minutes.length - 1, 'more minute')}` : '';
  return `${formatMinute(first)}${more}`;
}
