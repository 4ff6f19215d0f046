import { instantiateSync, type OwnWasmMemory, type WasmVariable } from '../../base/wasm.js';

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
 * Exports of assembly/parquet/parquet-kernel.ts. Addresses arrive as signed integers; `>>> 0` makes them
 * unsigned.
 */
export interface ParquetExports extends TextEncodeExports {
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

/** Bytes of the slots that finding up to `maxDistinct` distinct values needs (assembly/parquet/doubles.ts). */
export function distinctSlotBytes(maxDistinct: number): number {
  return 4 * (2048 + 8 * maxDistinct);
}

export function loadParquetExports(memory: OwnWasmMemory): ParquetExports {
  const exports = instantiateSync<ParquetExports>(new URL('./parquet-kernel.wasm', import.meta.url), memory);
  exports.createTables();
  return exports;
}
