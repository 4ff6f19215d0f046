import type { Batch, Schema } from '../../format/batch.js';
import {
  copyFixed,
  copyWords,
  createLineTarget,
  type FixedText,
  hasMicros,
  IsoTime,
  type LineTarget,
  WORD_BYTES,
} from '../../format/ndjson/write-json.js';
import { getNumbers } from '../batch-columns.js';
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

/** Up to this size words are copied here; for more, the engine's copy is faster. */
const SMALL_COPY_BYTES = 256;
/** Initial and maximum retained size of a side's buffer: whole books are rare, but there are many files. */
const INITIAL_SIDE_BYTES = 4096;
const MAX_RETAINED_SIDE_BYTES = 16 * 1024;

/**
 * Formats book changes as lines, each from some rows of incremental_book_L2: `begin`, a `level` for each row,
 * `write`. The rows of a change may be in several batches.
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

  /** Sets the batch of the next rows. */
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

  /** @param head created by `createLineHead`. Times are microseconds. */
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

/** The levels of one side, as the content of a JSON array: ASCII only. */
class LevelTexts {
  #target = createLineTarget(INITIAL_SIDE_BYTES);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.#target.bytes.length > MAX_RETAINED_SIDE_BYTES)
      this.#target = createLineTarget(INITIAL_SIDE_BYTES);
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
