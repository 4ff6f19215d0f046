import { instantiateSync, type OwnWasmMemory, type WasmVariable } from './wasm.js';

/** What assembly/parquet/parquet-kernel.ts exports. Addresses come as signed integers: `>>> 0` makes them what they are. */
export interface ParquetExports {
  allocate(bytes: bigint): number;
  makeTables(): void;

  createColumns(count: number): number;
  setColumn(index: number, kind: number, required: number): void;
  layOut(rows: number, numberText: number): number;
  clearColumns(): void;
  setRowCount(rows: number): void;
  readonly rowCount: WasmVariable;
  laneOf(index: number): number;
  nullsOf(index: number): number;
  nullCountOf(index: number): number;
  isPlain(index: number): number;
  textsOf(index: number): number;
  bytesOf(texts: number): number;
  offsetsOf(texts: number): number;
  countOf(texts: number): number;
  loadNulls(index: number, count: number): void;
  loadTexts(index: number, plain: number, count: number, bytes: number): number;

  prepareSharing(): number;
  clearSharing(): void;
  isFull(): number;
  parseRows(from: number, to: number): number;
  passCell(next: number, to: number): number;
  endRow(): void;
  readonly cellColumn: WasmVariable;
  readonly cellStart: WasmVariable;
  takeNull(column: number): number;
  takeValue(column: number, value: number, at: number, length: number): number;
  takeText(column: number, at: number, length: number): number;

  dropNulls(values: number, nulls: number, rows: number, size: number): number;
  dropNullTexts(offsets: number, nulls: number, rows: number): number;
  widenBits(bytes: number, out: number, count: number, flip: number): void;
  countOnes(bytes: number, count: number): number;
  findRange(values: number, count: number): void;
  toLongs(values: number, count: number): void;
  readonly least: WasmVariable;
  readonly greatest: WasmVariable;
  readonly stepsBack: WasmVariable;
  distinctDoubles(
    values: number,
    count: number,
    most: number,
    slots: number,
    distinct: number,
    indices: number,
  ): number;
  distinctTexts(
    bytes: number,
    offsets: number,
    count: number,
    most: number,
    slots: number,
    slotCount: number,
    firsts: number,
    indices: number,
  ): number;
  pickTexts(
    bytes: number,
    offsets: number,
    picked: number,
    count: number,
    toBytes: number,
    toOffsets: number,
  ): void;
  findTextRange(bytes: number, offsets: number, count: number): void;
  readonly leastText: WasmVariable;
  readonly greatestText: WasmVariable;
  writePlainText(out: number, bytes: number, offsets: number, count: number): number;
  writeIndices(out: number, values: number, start: number, end: number, width: number): number;
  writeSizedBits(out: number, values: number, start: number, end: number): number;
  writeSizedOnes(out: number, count: number): number;
  writeDeltaLongs(out: number, values: number, start: number, end: number, count: number): number;
  sharedPrefixes(bytes: number, offsets: number, count: number, prefixes: number): number;
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

export function loadParquetExports(memory: OwnWasmMemory): ParquetExports {
  const exports = instantiateSync<ParquetExports>(new URL('./parquet-kernel.wasm', import.meta.url), memory);
  exports.makeTables();
  return exports;
}
