import { TickhaulError } from '../../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory, type WasmVariable } from '../../base/wasm.js';
import { type Column, type ColumnKind, isNeverEmpty } from '../../day-files/data-types.js';
import type { Batch, ColumnData, NumberText, Schema, TextValues } from '../batch.js';
import { PIECE_CAPACITY_BYTES } from '../output-format.js';

/** Column kinds as numbered in assembly/columns.ts. */
const KIND_NUMBERS = { time: 0, integer: 0, number: 1, boolean: 2, text: 3 } as const satisfies Record<
  ColumnKind,
  number
>;

/** As in assembly/columns.ts. */
const NUMBER_TEXT = { none: 0, all: 1, long: 2 } as const satisfies Record<NumberText, number>;

/** Addresses of texts in the memory. */
export interface TextLocation {
  readonly bytes: number;
  readonly offsets: number;
  readonly count: number;
}

/** Columns of a batch in WebAssembly memory; the memory is reused for each batch. */
export class ColumnMemory {
  readonly kernel: ColumnExports;
  /** Address of the piece. */
  readonly pieceStart: number;
  readonly #memory: OwnWasmMemory;
  #bytes = Buffer.alloc(0);
  #schema: Schema = [];
  #capacity = 0;
  #numberText: NumberText = 'none';
  #allowsEmptyCells = false;

  /** @param maxPages maximum of the memory, by default the largest. */
  constructor(maxPages?: number) {
    this.#memory = createOwnMemory(undefined, maxPages);
    this.kernel = loadColumnExports(this.#memory);
    this.pieceStart = this.allocate(PIECE_CAPACITY_BYTES + 1);
  }

  get schema(): Schema {
    return this.#schema;
  }

  /** Number of complete rows so far. */
  get rows(): number {
    return this.kernel.rowCount.value;
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer<ArrayBuffer> {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes as Buffer<ArrayBuffer>;
  }

  /** Buffer for text: `PIECE_CAPACITY_BYTES` bytes and one for an LF. Valid until the memory grows. */
  get piece(): Buffer<ArrayBuffer> {
    return this.bytes.subarray(
      this.pieceStart,
      this.pieceStart + PIECE_CAPACITY_BYTES + 1,
    ) as Buffer<ArrayBuffer>;
  }

  /**
   * Creates the columns. Call it once.
   * @param capacity rows per batch.
   * @param numberText the numbers that keep their text.
   * @param allowsEmptyCells whether every cell may be empty.
   * @throws TickhaulError `usage`, as all methods do, if 4 GiB are not enough.
   */
  open(schema: Schema, capacity: number, numberText: NumberText, allowsEmptyCells = false): void {
    const { kernel } = this;
    this.#schema = schema;
    this.#capacity = capacity;
    this.#numberText = numberText;
    this.#allowsEmptyCells = allowsEmptyCells;
    if (!kernel.createColumns(schema.length)) throw this.createFullError();
    for (const [i, column] of schema.entries()) {
      kernel.setColumn(i, KIND_NUMBERS[column.kind], this.isRequired(column) ? 1 : 0);
    }
    if (!kernel.allocateLanes(capacity, NUMBER_TEXT[numberText])) throw this.createFullError();
    if (!kernel.initSharing()) throw this.createFullError();
  }

  /** Whether cells of a column must not be empty. */
  isRequired(column: Column): boolean {
    return !this.#allowsEmptyCells && isNeverEmpty(column);
  }

  /** Starts a batch without rows. */
  clear(): void {
    this.kernel.clearColumns();
    this.kernel.clearSharing();
  }

  /** Allocates a region. The slack after it may be read and written, too. */
  allocate(bytes: number): number {
    const at = this.kernel.allocate(BigInt(bytes)) >>> 0;
    if (at === 0) throw this.createFullError();
    return at;
  }

  /** Reads the 32-bit integer at an address. */
  readInt(address: number): number {
    return this.bytes.readInt32LE(address);
  }

  /** The error for a full memory. */
  createFullError(): TickhaulError {
    const what = `${this.#capacity} rows of ${this.#schema.length} columns`;
    const message = `--row-group: ${what} do not fit into 4 GiB, the maximum of memory; choose fewer rows`;
    return new TickhaulError('usage', message);
  }

  /** The texts of a plain column, the values of a dictionary, or the text of a number column. */
  getTexts(column: number): TextLocation {
    const { kernel } = this;
    const texts = kernel.getTexts(column);
    if (texts === 0) throw new Error(`column ${this.#schema[column]?.name}: has no text`);
    return {
      bytes: kernel.getBytes(texts) >>> 0,
      offsets: kernel.getOffsets(texts) >>> 0,
      count: kernel.getCount(texts),
    };
  }

  /** The batch as views into the memory, valid until the next row is parsed. */
  view(): Batch {
    const schema = this.#schema;
    return { rows: this.rows, schema, columns: schema.map(({ kind }, i) => this.#viewColumn(kind, i)) };
  }

  #viewColumn(kind: ColumnKind, column: number): ColumnData {
    const { kernel, rows } = this;
    const { buffer } = this.#memory;
    const lane = kernel.getLane(column) >>> 0;
    const nullCount = kernel.getNullCount(column);
    const nulls = {
      nulls: nullCount > 0 ? new Uint8Array(buffer, kernel.getNulls(column) >>> 0, rows) : undefined,
      nullCount,
    };
    switch (kind) {
      case 'boolean':
        return { kind, values: new Uint8Array(buffer, lane, rows), ...nulls };
      case 'time':
      case 'integer':
        return { kind, values: new Float64Array(buffer, lane, rows), ...nulls };
      case 'number': {
        const text = this.#numberTexts(column);
        return { kind, values: new Float64Array(buffer, lane, rows), text, ...nulls };
      }
      case 'text': {
        const text = this.#textValues(column);
        if (kernel.isPlain(column)) return { kind, encoding: 'plain', text, ...nulls };
        const indices = new Int32Array(buffer, lane, rows);
        return { kind, encoding: 'dictionary', indices, dictionary: text, ...nulls };
      }
    }
  }

  #numberTexts(column: number): TextValues | undefined {
    if (this.#numberText === 'none') return undefined;
    if (this.#numberText === 'long' && !this.kernel.padLongTexts(column)) return undefined;
    return this.#textValues(column);
  }

  #textValues(column: number): TextValues {
    const { bytes, offsets, count } = this.getTexts(column);
    const offsetValues = new Int32Array(this.#memory.buffer, offsets, count + 1);
    return { bytes: new Uint8Array(this.#memory.buffer, bytes, offsetValues[count]), offsets: offsetValues };
  }
}

/** Exports that encode texts, and positions in a dictionary. */
export interface TextEncodeExports {
  findDistinctTexts(
    bytes: number,
    offsets: number,
    count: number,
    maxDistinct: number,
    slots: number,
    slotCount: number,
    firsts: number,
    indices: number,
  ): number;
  copyTexts(
    bytes: number,
    offsets: number,
    positions: number,
    count: number,
    toBytes: number,
    toOffsets: number,
  ): void;
  findTextRange(bytes: number, offsets: number, count: number): void;
  readonly minText: WasmVariable;
  readonly maxText: WasmVariable;
  writePlainText(out: number, bytes: number, offsets: number, count: number): number;
  writeIndices(out: number, values: number, start: number, end: number, width: number): number;
  storeSharedPrefixes(bytes: number, offsets: number, count: number, prefixes: number): number;
  writeDeltaLengthText(
    out: number,
    bytes: number,
    offsets: number,
    start: number,
    end: number,
    lengths: number,
  ): number;
  writeDeltaText(
    out: number,
    bytes: number,
    offsets: number,
    prefixes: number,
    start: number,
    end: number,
    lengths: number,
  ): number;
}

/**
 * Exports of assembly/column-kernel.ts. Addresses arrive as signed integers; `>>> 0` makes them
 * unsigned.
 */
export interface ColumnExports extends TextEncodeExports {
  allocate(bytes: bigint): number;
  createTables(): void;

  createColumns(count: number): number;
  setColumn(index: number, kind: number, required: number): void;
  allocateLanes(rows: number, numberText: number): number;
  clearColumns(): void;
  dropPartialRow(): void;
  readonly rowCount: WasmVariable;
  getLane(index: number): number;
  getNulls(index: number): number;
  getNullCount(index: number): number;
  isPlain(index: number): number;
  getTexts(index: number): number;
  padLongTexts(index: number): number;
  getBytes(texts: number): number;
  getOffsets(texts: number): number;
  getCount(texts: number): number;

  initSharing(): number;
  clearSharing(): void;
  parseRows(from: number, to: number, full: number): number;
  resumeAfterCell(next: number, to: number): number;
  endRow(): void;
  readonly cellColumn: WasmVariable;
  readonly cellStart: WasmVariable;
  appendNull(column: number): number;
  appendValue(column: number, value: number, at: number, length: number): number;
  appendText(column: number, at: number, length: number): number;

  dropNulls(values: number, nulls: number, rows: number, size: number): number;
  dropNullTexts(offsets: number, nulls: number, rows: number): number;
  widenBits(bytes: number, out: number, count: number, flip: number): void;
  packBooleans(bytes: number, out: number, count: number, flip: number): void;
  storeOffsets(offsets: number, indices: number, nulls: number, rows: number, out: number): number;
  gatherTexts(
    bytes: number,
    offsets: number,
    indices: number,
    rows: number,
    to: number,
    toOffsets: number,
  ): void;
  countOnes(bytes: number, count: number): number;
  findRange(values: number, count: number): void;
  convertToLongs(values: number, count: number): void;
  readonly minValue: WasmVariable;
  readonly maxValue: WasmVariable;
  readonly stepsBack: WasmVariable;
  findDistinctDoubles(
    values: number,
    count: number,
    maxDistinct: number,
    slots: number,
    distinct: number,
    indices: number,
  ): number;
  writeSizedBits(out: number, values: number, start: number, end: number): number;
  writeSizedOnes(out: number, count: number): number;
  writeDeltaLongs(out: number, values: number, start: number, end: number, count: number): number;
}

/** Bytes of the slots that finding up to `maxDistinct` distinct values needs (assembly/numbers.ts). */
export function distinctSlotBytes(maxDistinct: number): number {
  return 4 * (2048 + 8 * maxDistinct);
}

export function loadColumnExports(memory: OwnWasmMemory): ColumnExports {
  const exports = instantiateSync<ColumnExports>(new URL('./column-kernel.wasm', import.meta.url), memory);
  exports.createTables();
  return exports;
}

/** A buffer in a memory; its content is lost when it grows. */
export class ScratchRegion {
  readonly #memory: Pick<ColumnMemory, 'allocate'>;
  #at = 0;
  #room = 0;

  constructor(memory: Pick<ColumnMemory, 'allocate'>) {
    this.#memory = memory;
  }

  /** Address of a buffer of at least `bytes` bytes. */
  at(bytes: number): number {
    if (bytes > this.#room || this.#room === 0) {
      this.#room = Math.max(bytes, 2 * this.#room, 1024);
      this.#at = this.#memory.allocate(this.#room);
    }
    return this.#at;
  }
}
