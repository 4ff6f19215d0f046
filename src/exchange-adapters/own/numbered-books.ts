import { TickhaulError } from '../../base/errors.js';
import type { PriceLevel } from '../../market/messages.js';
import type { EventTime } from '../message-fields.js';
import type { EmitRecord } from '../normalizer.js';

/**
 * Checks that the updates of an exchange's books follow their snapshots and each other without a gap, if both
 * come in the same channel. Levels are absolute amounts, so an update that begins inside the known numbers and
 * ends after them still joins.
 */
export class BookSequence {
  readonly #exchange: string;
  readonly #isLive: boolean;
  /** By symbol: the last number of the book, and whether an update was applied since its snapshot. */
  readonly #books = new Map<string, { last: number; isAligned: boolean }>();

  constructor(exchange: string, isLive: boolean) {
    this.#exchange = exchange;
    this.#isLive = isLive;
  }

  /** Starts a symbol's book again. @param last number of the snapshot; NaN if it has none. */
  restart(symbol: string, last: number): void {
    if (Number.isFinite(last)) this.#books.set(symbol, { last, isAligned: false });
    else this.#books.delete(symbol);
  }

  /**
   * Whether to apply an update. Updates without numbers are not checked, and the first one of a book without
   * a snapshot starts its numbers.
   * @param first first number of the update. @param last its last number.
   * @returns false for an update that the snapshot before it contains.
   * @throws TickhaulError `corrupt` with the symbol and both numbers, if the update does not join the book.
   */
  accepts(symbol: string, first: number, last: number): boolean {
    if (!Number.isFinite(first) || !Number.isFinite(last)) return true;
    const book = this.#books.get(symbol);
    if (book === undefined) {
      this.#books.set(symbol, { last, isAligned: true });
      return true;
    }
    if (last <= book.last && !book.isAligned) return false;
    if (first > book.last + 1 || last <= book.last) {
      const advice = this.#isLive ? '' : '; use --source datasets, or --channel for the original messages';
      throw new TickhaulError(
        'corrupt',
        `${this.#exchange}: the book of ${symbol} lacks updates: updates ${first} to ${last} came after update ${book.last}${advice}`,
      );
    }
    book.last = last;
    book.isAligned = true;
    return true;
  }
}

/** A whole book that was requested beside the stream of changes. */
interface NumberedSnapshot {
  readonly symbol: string;
  /** Number of the last update that it contains; -1 if the market is new. */
  readonly last: number;
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
  readonly time: EventTime;
}

/** A change of a book; it contains the updates from `first` to `last`. */
interface NumberedChange extends NumberedSnapshot {
  readonly first: number;
  /** Number of the last update before this change, if the exchange sends it. */
  readonly previous?: number;
}

/**
 * The snapshot in a live stream is older than the first change that was received. The book is unchanged, so a
 * newer snapshot may be added instead.
 */
export class StaleSnapshotError extends TickhaulError {}

/** How an exchange numbers updates. `last` is the number of the last update that the book contains. */
export interface UpdateNumbering {
  readonly exchange: string;
  /** Whether the book contains the change already. */
  readonly isOutdated: (change: NumberedChange, last: number) => boolean;
  /** Whether no update is missing between the snapshot and the first change after it. */
  readonly joins: (change: NumberedChange, last: number) => boolean;
  /** Whether no update is missing between two changes. */
  readonly follows: (change: NumberedChange, last: number) => boolean;
  /**
   * Whether recorded changes that do not follow each other are an error too. If not, they are emitted as
   * recorded, as the vendor's client does
   * (docs/decisions/normalizers.md#treat-gaps-in-recorded-books-as-the-vendor-does).
   */
  readonly isStrictInReplay: boolean;
}

/** Books that are aligned with snapshots of another source; each recorded connection needs new ones. */
export interface AlignedBooks {
  addSnapshot(snapshot: NumberedSnapshot, emit: EmitRecord): void;
  addChange(change: NumberedChange, emit: EmitRecord): void;
}

/** Maximum changes of a book that wait for its snapshot; the oldest are dropped. */
const MAX_WAITING_CHANGES = 2000;

interface Alignment {
  /** Changes before the snapshot, in the order of arrival. */
  waiting: NumberedChange[];
  /** Number of the last update in the book; undefined before the snapshot. */
  last: number | undefined;
  /** Whether a change has followed the snapshot. */
  hasJoined: boolean;
}

/**
 * Creates books whose changes wait for the snapshot. It is emitted with the waiting changes applied; later
 * snapshots of a book are ignored.
 * @param isLive whether missing updates are always an error, since a new connection gives a complete book.
 * The error is TickhaulError `corrupt`, and StaleSnapshotError if a newer snapshot is enough.
 */
export function createAlignedBooks(numbering: UpdateNumbering, isLive: boolean): AlignedBooks {
  const alignments = new Map<string, Alignment>();
  const alignmentOf = (symbol: string): Alignment => {
    const known = alignments.get(symbol);
    if (known) return known;
    const alignment: Alignment = { waiting: [], last: undefined, hasJoined: false };
    alignments.set(symbol, alignment);
    return alignment;
  };
  /** Advances the book's number; false if the book contains the change already. */
  const accept = (change: NumberedChange, alignment: Alignment, last: number): boolean => {
    if (numbering.isOutdated(change, last)) return false;
    if (alignment.hasJoined) {
      const isStrict = isLive || numbering.isStrictInReplay;
      if (isStrict && !numbering.follows(change, last)) {
        throw new TickhaulError('corrupt', describeGap(numbering, change, `update ${last}`, isLive));
      }
    } else if (isLive && last !== -1 && !numbering.joins(change, last)) {
      const before = `the snapshot of update ${last}`;
      throw new StaleSnapshotError('corrupt', describeGap(numbering, change, before, isLive));
    }
    alignment.hasJoined = true;
    alignment.last = change.last;
    return true;
  };
  return {
    addSnapshot({ symbol, last, bids, asks, time }, emit) {
      const alignment = alignmentOf(symbol);
      if (alignment.last !== undefined) return;
      const changes = alignment.waiting.filter((change) => accept(change, alignment, alignment.last ?? last));
      alignment.last ??= last;
      alignment.waiting = [];
      emit({
        type: 'book_change',
        symbol,
        isSnapshot: true,
        bids: applyChanges(
          bids,
          changes.map((change) => change.bids),
        ),
        asks: applyChanges(
          asks,
          changes.map((change) => change.asks),
        ),
        ...time,
      });
    },
    addChange(change, emit) {
      const { symbol, bids, asks, time } = change;
      const alignment = alignmentOf(symbol);
      if (alignment.last === undefined) {
        alignment.waiting.push(change);
        if (alignment.waiting.length > MAX_WAITING_CHANGES) alignment.waiting.shift();
      } else if (accept(change, alignment, alignment.last)) {
        emit({ type: 'book_change', symbol, isSnapshot: false, bids, asks, ...time });
      }
    },
  };
}

/** Sets or removes levels; a new level is put at the end of its side. */
function applyChanges(
  levels: readonly PriceLevel[],
  changes: readonly (readonly PriceLevel[])[],
): readonly PriceLevel[] {
  if (changes.length === 0) return levels;
  const byPrice = new Map(levels.map((level) => [level.price, level]));
  for (const level of changes.flat()) {
    if (level.amount === 0) byPrice.delete(level.price);
    else byPrice.set(level.price, level);
  }
  return [...byPrice.values()];
}

function describeGap(
  { exchange }: UpdateNumbering,
  { symbol, first, last }: NumberedChange,
  before: string,
  isLive: boolean,
): string {
  const updates = first === last ? `update ${last}` : `updates ${first} to ${last}`;
  const advice = isLive ? '' : '; use --source datasets, or --channel for the original messages';
  return `${exchange}: the book of ${symbol} lacks updates: ${updates} came after ${before}${advice}`;
}
