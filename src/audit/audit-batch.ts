import { findDataType } from '../day-files/data-types.js';
import { US_PER_DAY } from '../day-files/day.js';
import type { ContentResult, RowPlace } from '../events/audited-day.js';
import {
  type Batch,
  createBatchError,
  getBooleans,
  getColumn,
  getNumbers,
  getTextCodes,
  getTextColumn,
  type Schema,
  toDictionary,
} from '../format/batch.js';
import { type BatchRows, EMPTY_FLAG, IdNumbers, OTHER_CODE } from './batch-rows.js';
import { BookStates, ChangeStates, createRowStates, type StateSource } from './book-states.js';

/** A batch of rows as the checks read it. What several checks need is computed once. */
export interface AuditBatch extends BatchRows {
  readonly batch: Batch;
  /** The symbols of the file so far, by number. */
  readonly symbolNames: readonly string[];
  /** States that began in this batch; empty for data types without best prices. */
  readonly bookStates: BookStates;
  /** The ids of trades as numbers. */
  ids(): IdNumbers;
}

/** Describes a row for `first`. */
export function placeOf(batch: AuditBatch, row: number): RowPlace {
  return createPlace(
    batch,
    batch.rowsBefore + row + 1,
    batch.localTimestamps[row] as number,
    batch.symbols[row] as number,
  );
}

/** @param row counted from 1. @param local NaN if empty. @param symbol position in `symbolNames`; -1 if empty. */
export function createPlace(
  { symbolNames }: Pick<AuditBatch, 'symbolNames'>,
  row: number,
  local: number,
  symbol: number,
): RowPlace {
  return {
    row,
    localTimestamp: Number.isNaN(local) ? null : local,
    symbol: symbolNames[symbol] ?? null,
  };
}

/** Prepares the batches of one file for the checks. It carries the clock, the symbols and the books. */
export class BatchSequence {
  readonly #schema: Schema;
  readonly #dayStart: number;
  readonly #states: StateSource | undefined;
  readonly #symbolNumbers = new Map<string, number>();
  readonly #symbolNames: string[] = [];
  readonly #ids = new IdNumbers();
  #symbols = new Int32Array();
  #clocks = new Float64Array();
  #clock: number;
  #rows = 0;

  constructor(
    schema: Schema,
    { dataType, dayStart }: { readonly dataType: string; readonly dayStart: number },
  ) {
    this.#schema = schema;
    this.#dayStart = dayStart;
    this.#clock = dayStart;
    this.#states = createStateSource(dataType);
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  get symbolCount(): number {
    return this.#symbolNames.length;
  }

  /** Prepares the next batch, which is valid until the following call. @throws as `ChangeStates.push` does. */
  open(batch: Batch): AuditBatch {
    const { rows } = batch;
    if (this.#symbols.length < rows) {
      this.#symbols = new Int32Array(rows);
      this.#clocks = new Float64Array(rows);
    }
    const opened = this.#createOpenBatch(batch);
    this.#readSymbols(batch);
    this.#advanceClock(opened.localTimestamps, rows);
    if (this.#states) opened.bookStates = this.#states.push(opened);
    this.#rows += rows;
    return opened;
  }

  /** An empty batch with the state of the last book change. */
  end(): AuditBatch {
    const schema = this.#schema;
    const columns = schema.map(({ kind }) => createEmptyColumn(kind));
    const opened = this.#createOpenBatch({ rows: 0, schema, columns } as Batch);
    if (this.#states) opened.bookStates = this.#states.end();
    return opened;
  }

  #createOpenBatch(batch: Batch): OpenBatch {
    return new OpenBatch(batch, this.#rows, this.#symbols, this.#clocks, this.#symbolNames, this.#ids);
  }

  #readSymbols(batch: Batch): void {
    const column = getTextColumn(batch, 'symbol');
    const { indices, texts } = toDictionary(column);
    const numbers = Int32Array.from(texts, (text) => this.#numberOf(text));
    const symbols = this.#symbols;
    const { nulls } = column;
    if (numbers.length === 1 && !nulls) symbols.fill(numbers[0] as number);
    else
      for (let row = 0; row < batch.rows; row++)
        symbols[row] = nulls?.[row] === 1 ? -1 : (numbers[indices[row] as number] as number);
  }

  #numberOf(symbol: string): number {
    if (symbol === '') return -1;
    const number = this.#symbolNumbers.get(symbol) ?? this.#symbolNames.push(symbol) - 1;
    this.#symbolNumbers.set(symbol, number);
    return number;
  }

  #advanceClock(localTimestamps: Float64Array, rows: number): void {
    const end = this.#dayStart + US_PER_DAY;
    const clocks = this.#clocks;
    let clock = this.#clock;
    for (let row = 0; row < rows; row++) {
      const local = localTimestamps[row] as number;
      if (local > clock && local < end) clock = local;
      clocks[row] = clock;
    }
    this.#clock = clock;
  }
}

const NO_STATES = new BookStates();

class OpenBatch implements AuditBatch {
  readonly rows: number;
  readonly timestamps: Float64Array;
  readonly localTimestamps: Float64Array;
  bookStates: BookStates = NO_STATES;
  readonly #numbers = new Map<string, Float64Array>();
  #hasIds = false;

  constructor(
    readonly batch: Batch,
    readonly rowsBefore: number,
    readonly symbols: Int32Array,
    readonly clocks: Float64Array,
    readonly symbolNames: readonly string[],
    readonly idNumbers: IdNumbers,
  ) {
    this.rows = batch.rows;
    this.timestamps = this.numbers('timestamp');
    this.localTimestamps = this.numbers('local_timestamp');
  }

  numbers(name: string): Float64Array {
    const known = this.#numbers.get(name);
    if (known) return known;
    const cells = getNumbers(this.batch, name);
    const { nulls } = getColumn(this.batch, name);
    const values = nulls ? cells.map((value, row) => (nulls[row] === 1 ? Number.NaN : value)) : cells;
    this.#numbers.set(name, values);
    return values;
  }

  codes(name: string, codes: Readonly<Record<string, number>>): Uint8Array {
    return getTextCodes(this.batch, name, codes, OTHER_CODE);
  }

  flags(name: string): Uint8Array {
    const cells = getBooleans(this.batch, name);
    const { nulls } = getColumn(this.batch, name);
    return nulls ? cells.map((value, row) => (nulls[row] === 1 ? EMPTY_FLAG : value)) : cells;
  }

  ids(): IdNumbers {
    if (!this.#hasIds) this.idNumbers.parse(getTextColumn(this.batch, 'id'), this.rows);
    this.#hasIds = true;
    return this.idNumbers;
  }

  createTextError(name: string, row: number, problem: string): Error {
    return createBatchError(this.batch, name, row, problem);
  }
}

function createEmptyColumn(kind: Schema[number]['kind']): unknown {
  const none = { nulls: undefined, nullCount: 0 };
  if (kind === 'text')
    return {
      kind,
      encoding: 'plain',
      text: { bytes: new Uint8Array(), offsets: new Int32Array(1) },
      ...none,
    };
  return {
    kind,
    values: kind === 'boolean' ? new Uint8Array() : new Float64Array(),
    text: undefined,
    ...none,
  };
}

function createStateSource(dataType: string): StateSource | undefined {
  const { bestPrices } = findDataType(dataType) ?? {};
  if (bestPrices === 'changes') return new ChangeStates();
  return bestPrices && createRowStates(...bestPrices);
}

/** Counts rows or cells, and remembers the first one. */
export class RowCounter {
  count = 0;
  first: RowPlace | undefined;
  /** Greatest distance; undefined for a check that measures none. */
  maxMicroseconds: number | undefined;

  add(batch: AuditBatch, row: number, count = 1): void {
    this.first ??= placeOf(batch, row);
    this.count += count;
  }

  addDistance(batch: AuditBatch, row: number, microseconds: number): void {
    this.add(batch, row);
    this.maxMicroseconds = Math.max(this.maxMicroseconds ?? 0, microseconds);
  }

  result(): ContentResult {
    const { count, first, maxMicroseconds } = this;
    return { count, ...(first && { first }), ...(maxMicroseconds !== undefined && { maxMicroseconds }) };
  }
}
