import type { Batch, Schema } from '../../format/batch.js';
import { getNumbers } from '../batch-columns.js';
import {
  copyFixed,
  copyWords,
  createLineTarget,
  type FixedText,
  type LineTarget,
  WORD_BYTES,
} from './fixed-text.js';
import { hasMicros, IsoTime } from './iso-time.js';
import type { LineBuffer } from './line-buffer.js';
import { MAX_TAIL_BYTES, writeTail } from './line-head.js';
import {
  ASKS,
  CHANGE_BIDS,
  CHANGE_KEYS_BYTES,
  LEVELS_END,
  MAX_LEVEL_BYTES,
  SNAPSHOT_BIDS,
  writeLevel,
} from './write-level.js';

/** Up to so many bytes words are copied here; more of them faster by the engine's own copy. */
const SMALL_COPY_BYTES = 256;
/** Bytes that a side begins with, and the most that it keeps: whole books are rare, and files many. */
const INITIAL_SIDE_BYTES = 4096;
const MAX_KEPT_SIDE_BYTES = 16 * 1024;

/**
 * The lines of book changes, each made of some rows of incremental_book_L2: `begin`, a `level` for each row, `appendOrWrite`.
 * Rows of one change may lie in several batches.
 */
export class BookChangeLines {
  readonly #schema: Schema;
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #bids = new LevelTexts();
  readonly #asks = new LevelTexts();
  #prices: Float64Array = new Float64Array();
  #amounts: Float64Array = new Float64Array();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Takes the batch that rows are to be of. */
  open(batch: Batch): void {
    this.#prices = getNumbers(this.#schema, batch, 'price');
    this.#amounts = getNumbers(this.#schema, batch, 'amount');
  }

  begin(): void {
    this.#bids.clear();
    this.#asks.clear();
  }

  level(isAsk: boolean, row: number): void {
    const side = isAsk ? this.#asks : this.#bids;
    side.add(this.#prices[row] as number, this.#amounts[row] as number);
  }

  /** @param head of `lineHead`. Times are microseconds. */
  write(
    head: FixedText,
    isSnapshot: boolean,
    timestamp: number,
    localTimestamp: number,
    out: LineBuffer,
  ): void {
    const size = head.length + CHANGE_KEYS_BYTES + this.#bids.length + this.#asks.length + MAX_TAIL_BYTES;
    const target = out.room(size);
    const { view } = target;
    let at = copyFixed(head, view, out.length);
    at = copyFixed(isSnapshot ? SNAPSHOT_BIDS : CHANGE_BIDS, view, at);
    at = this.#bids.copyTo(target, at);
    at = copyFixed(ASKS, view, at);
    at = this.#asks.copyTo(target, at);
    at = copyFixed(LEVELS_END, view, at);
    const micros = hasMicros(timestamp, localTimestamp);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }
}

/** The levels of one side, as the inside of a JSON array: ASCII alone. */
class LevelTexts {
  #target = createLineTarget(INITIAL_SIDE_BYTES);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.#target.bytes.length > MAX_KEPT_SIDE_BYTES) this.#target = createLineTarget(INITIAL_SIDE_BYTES);
  }

  add(price: number, amount: number): void {
    const { view } = this.#room();
    this.length = writeLevel(price, amount, this.length === 0, view, this.length);
  }

  copyTo({ bytes, view }: LineTarget, at: number): number {
    if (this.length <= SMALL_COPY_BYTES) copyWords(this.#target.view, this.length, view, at);
    else bytes.set(this.#target.bytes.subarray(0, this.length), at);
    return at + this.length;
  }

  #room(): LineTarget {
    const needed = this.length + MAX_LEVEL_BYTES + WORD_BYTES;
    if (needed > this.#target.bytes.length) {
      const larger = createLineTarget(2 * needed);
      larger.bytes.set(this.#target.bytes.subarray(0, this.length));
      this.#target = larger;
    }
    return this.#target;
  }
}
