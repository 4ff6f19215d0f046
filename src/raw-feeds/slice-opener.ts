import type { MinuteRange } from '../day-files/day.js';
import type { FeedReadContext } from './feed-read-context.js';
import { type FeedPart, MAX_HELD_BYTES, SlicePrefetcher, type UnopenedSlice } from './slice-prefetcher.js';
import type { SliceText } from './slices/unpack-slice.js';

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
