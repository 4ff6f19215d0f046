import type { LineMemory } from './line-memory.js';
import { instantiate, type WasmVariable } from './wasm.js';

/** Why `format` stopped: at the text's end, at a cell that is not written as usual, for want of room, at a batch's end. */
export const NDJSON_STOP_REASON = { done: 0, odd: 1, noRoom: 2, full: 3 } as const;

/** What assembly/ndjson/ndjson-kernel.ts exports; what it does is told there. Addresses are those of its memory. */
export interface NdjsonModule {
  setup(records: number, columns: number, leading: number, fixedRoom: number): void;
  /**
   * @param column of the first row, where the text at `from` begins.
   * @param out where the lines go, which stay before `limit`.
   * @param full no row begins once the lines have come so far, or there were `rows` of them.
   */
  format(
    from: number,
    to: number,
    column: number,
    out: number,
    limit: number,
    full: number,
    rows: number,
  ): number;
  /** Where it stopped: in the text, in the row, and in the output, and how many rows it ended. */
  readonly position: WasmVariable;
  readonly column: WasmVariable;
  readonly written: WasmVariable;
  readonly rows: WasmVariable;
}

/** The kernel for these columns in their memory. */
export async function loadNdjsonModule(memory: LineMemory): Promise<NdjsonModule> {
  const url = new URL('./ndjson-kernel.wasm', import.meta.url);
  const module = await instantiate<NdjsonModule>(url, memory.memory);
  module.setup(memory.records, memory.keys.length, memory.leading, memory.fixedRoom);
  return module;
}
