import { instantiateNow, type OwnWasmMemory, type WasmVariable } from '../../format/kernel/wasm.js';

/** Why making lines stopped, as assembly/output.ts tells it. */
export const STOP = { done: 0, noRoom: 1, odd: 2 } as const;

/** What assembly/message-kernel.ts exports; what it does is told there. Addresses are those of its memory. */
export interface MessageModule {
  /** A region of so many bytes, for good; 0 where there is no room. It and 192 bytes behind it may be written. */
  allocate(bytes: bigint): number;
  /** @param texts addresses and lengths. @param fixedRoom what a line takes at most besides its row and its levels. */
  setTexts(texts: number, fixedRoom: number): void;
  /** @param kinds of a row's own columns. @param parts 24 bytes each. */
  setColumns(kinds: number, columns: number, parts: number, count: number): void;
  /** @param asks as large as the room at `out`. @param ends 4 bytes a line. @param times 8 bytes a line. */
  setOutput(out: number, outRoom: number, asks: number, ends: number, times: number): void;
  setPeriod(start: number, end: number, phase: number): void;
  makeRows(from: number, to: number, endsFrom: number): number;
  makeChanges(from: number, to: number, endsFrom: number, isEnd: boolean): number;
  readonly position: WasmVariable;
  readonly rows: WasmVariable;
  readonly written: WasmVariable;
  readonly lines: WasmVariable;
  readonly phase: WasmVariable;
  /** @param before local time of the last row before those of the next call. */
  setTally(start: number, end: number, before: number, checksSymbol: boolean): void;
  readonly outside: WasmVariable;
  readonly backwards: WasmVariable;
  readonly foreign: WasmVariable;
  readonly last: WasmVariable;
}

/** What it imports. */
export interface MessageImports {
  /** Writes the number of so many bytes at an address as JSON to another; its length, 0 for what is no number. */
  writeNumber(at: number, length: number, to: number): number;
  /** 1 for a symbol that is not the file's. */
  isForeign(at: number, length: number): number;
}

export function loadMessageModule(memory: OwnWasmMemory, imports: MessageImports): MessageModule {
  const url = new URL('./message-kernel.wasm', import.meta.url);
  return instantiateNow<MessageModule>(url, memory, imports);
}
