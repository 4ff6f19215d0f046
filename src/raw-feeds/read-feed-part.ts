import { setMaxListeners } from 'node:events';
import { abortReason, TickhaulError } from '../base/errors.js';
import { formatMinute, type Minute, type MinuteRange } from '../day-files/day.js';
import type { FeedReadContext } from './feed-read-context.js';
import { LineIndexer, type RawBatch, type SlicePart } from './raw-batch.js';
import { type FeedPart, MAX_HELD_BYTES, SlicePrefetcher, type UnopenedSlice } from './slice-prefetcher.js';
import type { SliceText } from './slices/unpack-slice.js';

/**
 * Hands over a full batch (undefined on the first call) and returns an empty one. Reading pauses until it
 * resolves. Of the batches handed over, only the last is in use then.
 */
type SwapBatch = (full: RawBatch | undefined) => Promise<RawBatch>;

/**
 * Reads the lines of a part in order. The next slices are decompressed while the lines of the current one are
 * used.
 * @param onMinutes called after each slice with the number of minutes read.
 * @param base minute from which local timestamps of lines count: the part's start, unless several parts are
 * merged.
 * @throws TickhaulError after all earlier lines were handed over: `corrupt`, or the reason why a slice is
 * unavailable; the signal's reason after an abort.
 */
export async function readFeedPart(
  run: FeedReadContext,
  part: FeedPart,
  swap: SwapBatch,
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
  base = part.range.start,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, stopped, ended.signal]);
  // Each pending request adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, signal);
  const slices = new SliceOpener(run, part, signal);
  const whole = new WholeLineSplitter(run.bufferBytes);
  const lines = new LineIndexer(base);
  /** Texts of earlier slices, to which no batch but the one handed over last refers. */
  const readTexts: SliceText[] = [];
  let batch = await swap(undefined);
  batch.clear();
  const handOver = async (): Promise<void> => {
    if (batch.count === 0) return;
    batch = await swap(batch);
    batch.clear();
    for (const text of readTexts.splice(0)) text.free();
    if (signal.aborted) throw abortReason(signal);
  };
  const readSlice = async ({ text, selected, available, done }: OpenSlice): Promise<void> => {
    lines.startSlice(selectPart(text, selected, available, part));
    await text.read(async (chunk) => {
      for (const piece of whole.split(chunk)) {
        try {
          lines.splitLines(piece, batch);
        } catch (error) {
          throw withExchangeAndTime(error, part, selected);
        } finally {
          await handOver();
        }
      }
    });
    done();
    readTexts.push(text);
    lines.endSlice();
    onMinutes(selected.end - selected.start);
  };
  try {
    for (let open = await slices.next(); open; open = await slices.next()) await readSlice(open);
    lines.end(batch);
    await handOver();
  } finally {
    slices.close();
    ended.abort();
  }
}

/** Describes the selected part of a slice. @returns undefined for all of it. */
function selectPart(
  text: SliceText,
  selected: MinuteRange,
  available: MinuteRange,
  { range }: FeedPart,
): SlicePart | undefined {
  if (selected.start <= available.start && selected.end >= available.end) return undefined;
  const startsEarly = available.start < range.start;
  const ends = text.ends();
  // A response of several minutes usually, but not always, has one member or frame for each.
  if (ends.length !== available.end - available.start)
    return { minutes: selected, text: undefined, startsEarly };
  const endOf = (minute: Minute): number => ends[minute - available.start - 1] ?? 0;
  return { minutes: selected, text: { start: endOf(selected.start), end: endOf(selected.end) }, startsEarly };
}

function withExchangeAndTime(error: unknown, { exchange }: FeedPart, { start }: MinuteRange): unknown {
  if (!(error instanceof TickhaulError)) return error;
  return new TickhaulError(error.code, `${exchange} ${formatMinute(start)}: ${error.message}`, {
    cause: error,
  });
}

const LF = 0x0a;

/** Splits text in chunks of any size into pieces of whole lines. */
export class WholeLineSplitter {
  /** Start of a line whose end is in a later chunk. */
  #partialLine: Buffer | undefined;
  readonly #pieceBytes: number;

  /**
   * @param pieceBytes approximate size of a piece, which stays in the processor's cache while it is split.
   */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** Yields the whole lines of a chunk as slices of it; only a line that spans chunks is copied. */
  *split(chunk: Buffer): Generator<Buffer> {
    const last = chunk.lastIndexOf(LF) + 1;
    let at = 0;
    if (this.#partialLine && last > 0) {
      at = chunk.indexOf(LF) + 1;
      yield Buffer.concat([this.#partialLine, chunk.subarray(0, at)]);
      this.#partialLine = undefined;
    }
    while (at < last) {
      const end = last - at <= this.#pieceBytes ? last : chunk.lastIndexOf(LF, at + this.#pieceBytes - 1) + 1;
      const until = end > at ? end : chunk.indexOf(LF, at + this.#pieceBytes) + 1;
      yield chunk.subarray(at, until);
      at = until;
    }
    if (last === chunk.length) return;
    const rest = chunk.subarray(last);
    this.#partialLine = this.#partialLine ? Buffer.concat([this.#partialLine, rest]) : Buffer.from(rest);
  }
}

/** A slice opened for reading. */
interface OpenSlice {
  readonly text: SliceText;
  /** The minutes to read. */
  readonly selected: MinuteRange;
  /** The minutes in the slice. */
  readonly available: MinuteRange;
  /** Releases the slice's memory; to be called after it was read. */
  readonly done: () => void;
}

/** Maximum bytes of text kept in memory of a slice. */
const MAX_TEXT_BYTES = 48 * 1024 * 1024;

/** A slice after the one being read. */
interface NextSlice {
  readonly slice: UnopenedSlice;
  /** Undefined until it is opened. */
  readonly opening?: Promise<OpenSlice> | undefined;
}

/**
 * Opens the slices of a part in order, and decompresses the next ones in other threads while one is read. An
 * error is thrown in the position of its slice.
 *
 * One slice is always opened ahead, unless the text of the current one does not fit into memory. More are if
 * they probably fit into the memory of this part, and leave half of the memory of all parts free.
 */
export class SliceOpener {
  readonly #run: FeedReadContext;
  readonly #slices: SlicePrefetcher;
  readonly #next: NextSlice[] = [];
  /** Number of slices being decompressed, whose text is not reserved yet. */
  #opening = 0;
  /** Memory of the largest slice so far, in bytes. */
  #largestBytes = 0;
  /** Whether the slice being read is in memory. */
  #isCurrentKept = false;

  constructor(run: FeedReadContext, part: FeedPart, signal: AbortSignal) {
    this.#run = run;
    this.#slices = new SlicePrefetcher(run, part, signal, () => this.#openAhead());
  }

  /** Opens the next slice; undefined at the end. To be called when the one before was read. */
  async next(): Promise<OpenSlice | undefined> {
    this.#isCurrentKept = false;
    for (;;) {
      const first = this.#next.shift() ?? (await this.#waitForSlice());
      if (!first) return undefined;
      try {
        const open = await (first.opening ?? this.#open(first.slice));
        this.#isCurrentKept = open.text.isKept;
        this.#openAhead();
        return open;
      } catch (error) {
        const again = await this.#slices.fetchAgain(first.slice, error);
        this.#next.unshift(...again.map((slice) => ({ slice })));
      }
    }
  }

  /** Releases the memory of all slices; slices that arrive later hold none. */
  close(): void {
    this.#isCurrentKept = false;
    this.#slices.reserved.close();
  }

  async #waitForSlice(): Promise<NextSlice | undefined> {
    const slice = await this.#slices.next();
    return slice && { slice };
  }

  #openAhead(): void {
    const { maxOpenAhead } = this.#run;
    while (this.#isCurrentKept && this.#next.length < maxOpenAhead && this.#hasMemoryAhead()) {
      const slice = this.#slices.take();
      if (!slice) return;
      const opening = this.#open(slice);
      // The error is thrown when this slice is awaited.
      opening.catch(() => {});
      this.#next.push({ slice, opening });
    }
  }

  #hasMemoryAhead(): boolean {
    if (this.#next.length === 0) return true;
    const { texts } = this.#run;
    const expectedBytes = (this.#opening + 1) * this.#largestBytes;
    const isInPart = this.#slices.reserved.bytes + expectedBytes <= MAX_HELD_BYTES;
    return isInPart && texts.left - expectedBytes >= texts.bytes / 2;
  }

  async #open({ selected, available, heldBytes, open }: UnopenedSlice): Promise<OpenSlice> {
    const { reserved } = this.#slices;
    let reservedBytes = heldBytes;
    const release = (): void => {
      reserved.release(reservedBytes);
      reservedBytes = 0;
      this.#slices.fill();
    };
    const keep = (bytes: number): boolean => {
      const fits = reservedBytes + bytes <= MAX_TEXT_BYTES && reserved.tryReserve(bytes);
      if (fits) reservedBytes += bytes;
      else release();
      return fits;
    };
    this.#opening++;
    try {
      const text = await open(keep);
      this.#largestBytes = Math.max(this.#largestBytes, reservedBytes, text.size);
      return { text, selected, available, done: release };
    } catch (error) {
      release();
      throw error;
    } finally {
      this.#opening--;
    }
  }
}
