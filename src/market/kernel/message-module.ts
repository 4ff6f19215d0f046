import { instantiateSync, type OwnWasmMemory, type WasmVariable } from '../../base/wasm.js';

/** Why formatting stopped, as numbered in assembly/output.ts. */
export const MESSAGE_STOP_REASON = { done: 0, noRoom: 1, unusual: 2 } as const;

/** Exports of assembly/message-kernel.ts, which documents them. Addresses are those of its memory. */
export interface MessageModule {
  /** Allocates a region; 0 if the memory is full. The region and 192 bytes after it may be written. */
  allocate(bytes: bigint): number;
  /**
   * @param texts addresses and lengths.
   * @param fixedRoom maximum size of a line without its row and levels.
   */
  setTexts(texts: number, fixedRoom: number): void;
  /** @param kinds kinds of the columns after the leading ones. @param parts 24 bytes each. */
  setColumns(kinds: number, columns: number, parts: number, count: number): void;
  /**
   * @param asks as large as the buffer at `out`.
   * @param ends 4 bytes per line.
   * @param times 8 bytes per line.
   */
  setOutput(out: number, outRoom: number, asks: number, ends: number, times: number): void;
  setPeriod(start: number, end: number, phase: number): void;
  formatRows(from: number, to: number, endsFrom: number): number;
  formatChanges(from: number, to: number, endsFrom: number, isEnd: boolean): number;
  readonly position: WasmVariable;
  readonly rows: WasmVariable;
  readonly written: WasmVariable;
  readonly lines: WasmVariable;
  readonly phase: WasmVariable;
  /** @param before local time of the row before the next call. */
  setTally(start: number, end: number, before: number, checksSymbol: boolean): void;
  readonly outside: WasmVariable;
  readonly backwards: WasmVariable;
  readonly foreign: WasmVariable;
  readonly last: WasmVariable;
}

/** Imports of the module. */
export interface MessageImports {
  /** Writes the number at an address as JSON to another; returns its length, or 0 if it is not a number. */
  writeNumber(at: number, length: number, to: number): number;
  /** 1 if the symbol differs from the file's. */
  isForeign(at: number, length: number): number;
}

export function loadMessageModule(memory: OwnWasmMemory, imports: MessageImports): MessageModule {
  const url = new URL('./message-kernel.wasm', import.meta.url);
  return instantiateSync<MessageModule>(url, memory, imports);
}
