import { TickhaulError } from '../base/errors.js';

/** A cell as plain data: times are integer microseconds, UTC. Integers beyond 2^53 are text. */
export type Cell = string | number | boolean | null;

export interface InspectedColumn {
  readonly name: string;
  /**
   * `timestamp`, `string`, `boolean`, `double`, `int64` …; for NDJSON the JSON types; `null` if there are no
   * values.
   */
  readonly type: string;
  /** Undefined if a format with metadata does not state it. */
  readonly nulls: number | undefined;
  /** Undefined if no cell has a value, if one is a text of more than 4096 characters, or if the metadata does not state it. */
  readonly min: Cell | undefined;
  readonly max: Cell | undefined;
}

/** The longest time between two consecutive rows. */
export interface TimeGap {
  readonly microseconds: number;
  /** `local_timestamp` of the row before the gap. */
  readonly from: number;
}

/** Summary of a file's content. */
export interface FileContent {
  /** Size of the file. */
  readonly bytes: number;
  readonly rows: number;
  /** Number of row groups, of a format with row groups. */
  readonly rowGroups?: number | undefined;
  /** Data type, of a CSV. */
  readonly dataType?: string | undefined;
  /** Key-value metadata, of a format with metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly columns: readonly InspectedColumn[];
  /** First and last `local_timestamp`, in microseconds; undefined without rows or without this column. */
  readonly timeRange?: { readonly from: number; readonly to: number } | undefined;
  readonly largestGap?: TimeGap | undefined;
  /** Number of rows whose `local_timestamp` is before that of the previous row. */
  readonly outOfOrder?: number | undefined;
  /**
   * Reason why order and rows are missing although the metadata is read: another writer's data cannot be read, or the
   * data takes too much memory or time.
   */
  readonly unread?: string | undefined;
  readonly first: readonly (readonly Cell[])[];
  readonly last: readonly (readonly Cell[])[];
}

/** An integer as a cell. */
export function toIntegerCell(value: number | bigint): Cell {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** The column that orders a file's rows. */
export const TIME_COLUMN = 'local_timestamp';

/** A column with longer texts has no extremes: they would only take memory. */
const MAX_EXTREME_CHARACTERS = 4096;

/** Counts nulls and finds the extremes of a column, cell by cell. */
export class ColumnStats {
  nulls = 0;
  min: Cell | undefined;
  max: Cell | undefined;
  #hasLongText = false;

  add(value: Cell): void {
    if (value === null) {
      this.nulls++;
      return;
    }
    if (this.#hasLongText) return;
    if (typeof value === 'string' && value.length > MAX_EXTREME_CHARACTERS) {
      this.#hasLongText = true;
      this.min = undefined;
      this.max = undefined;
      return;
    }
    if (this.min === undefined || this.min === null || isLess(value, this.min)) this.min = value;
    if (this.max === undefined || this.max === null || isLess(this.max, value)) this.max = value;
  }
}

function isLess(a: NonNullable<Cell>, b: NonNullable<Cell>): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b;
  return isTextLess(String(a), String(b));
}

/** Compares texts by code points, which is the order of their UTF-8 bytes and of Parquet. */
function isTextLess(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i === length ? a.length < b.length : rank(a.charCodeAt(i)) < rank(b.charCodeAt(i));
}

/** UTF-16 sorts the characters from U+10000 on (surrogates, d800 to dfff) before those from U+E000 on. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2800 : unit;
}

/** Number of first and of last rows that are shown. */
export const EDGE_ROWS = 5;

/** Keeps a file's first rows, and its last rows that are not among the first. */
export class EdgeRows<Row> {
  readonly #first: Row[] = [];
  readonly #last: Row[] = [];

  /** Adds rows in order; `rowAt` is called only for the rows near the ends. */
  add(count: number, rowAt: (index: number) => Row): void {
    let next = 0;
    while (next < count && this.#first.length < EDGE_ROWS) this.#first.push(rowAt(next++));
    for (next = Math.max(next, count - EDGE_ROWS); next < count; next++) {
      this.#last.push(rowAt(next));
      if (this.#last.length > EDGE_ROWS) this.#last.shift();
    }
  }

  read(): { readonly first: readonly Row[]; readonly last: readonly Row[] } {
    return { first: this.#first, last: this.#last };
  }
}

/** Tracks the `local_timestamp`s of a file's rows. */
export class TimeOrder {
  #previous: number | undefined;
  #gap: TimeGap | undefined;
  #outOfOrder = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  /** Adds a time in microseconds, in the order of the rows. */
  add(time: number): void {
    const previous = this.#previous;
    this.#previous = time;
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    if (previous === undefined) return;
    if (time < previous) this.#outOfOrder++;
    else if (time - previous > (this.#gap?.microseconds ?? -1)) {
      this.#gap = { microseconds: time - previous, from: previous };
    }
  }

  read(): Pick<FileContent, 'timeRange' | 'largestGap' | 'outOfOrder'> {
    if (this.#previous === undefined) return {};
    const timeRange = { from: this.#from, to: this.#to };
    return { timeRange, largestGap: this.#gap, outOfOrder: this.#outOfOrder };
  }
}

/** Thrown if data takes more memory or time than an inspection spends on it; the data may be valid. */
export class TooLargeError extends RangeError {}

/** A small file can have few bytes for many values, and a large one may take its time. */
const FREE_STEPS = 64_000_000;
const STEPS_PER_BYTE = 2;

/** Limits the work that a file can cause: a step is reading a value, or what takes as long. */
export class StepLimit {
  readonly #limit: number;
  #steps = 0;

  /** @param bytes size of the file. */
  constructor(bytes: number) {
    this.#limit = FREE_STEPS + STEPS_PER_BYTE * bytes;
  }

  /** @throws TooLargeError beyond the limit. */
  take(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limit) throw new TooLargeError(`it takes more than ${this.#limit} steps to read`);
  }
}

/** Whether an error shows that bytes cannot be read, whatever has thrown it: not a system call, nor a known error. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TickhaulError) && !('syscall' in error);
}

/** Describes bytes that cannot be read. Node's own RangeErrors name an argument of a function. */
export function describeDamage(error: Error): string {
  return error instanceof RangeError && 'code' in error ? 'a value is outside of its data' : error.message;
}

const TICKHAUL_CREATOR = /^tickhaul version /;

/**
 * Why data of a file whose metadata is read cannot be read.
 * @param createdBy the writer of the file.
 * @throws TickhaulError `corrupt` for damage to a file of tickhaul; the error itself if it shows no damage.
 */
export function describeUnread(path: string, error: unknown, createdBy: string | undefined): string {
  if (!isDamage(error)) throw error;
  const problem = describeDamage(error);
  if (!TICKHAUL_CREATOR.test(createdBy ?? '') || error instanceof TooLargeError) return problem;
  const message = `${path}: its data cannot be read, ${problem}; convert its source again`;
  throw new TickhaulError('corrupt', message, { cause: error });
}
