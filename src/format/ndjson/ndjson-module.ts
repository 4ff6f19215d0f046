import { instantiate, type WasmVariable } from '../../base/wasm.js';
import type { LineMemory } from './line-memory.js';

/** Reason why `format` stopped: end of the text, unusual cell, or missing memory. */
export const NDJSON_STOP_REASON = { done: 0, unusual: 1, noRoom: 2 } as const;

/** Exports of assembly/ndjson/ndjson-kernel.ts, which documents them. Addresses are those of its memory. */
export interface NdjsonModule {
  setup(records: number, columns: number, leading: number, fixedRoom: number): void;
  /**
   * @param column column of the first row at which the text at `from` begins.
   * @param out address for the lines, which end before `limit`.
   */
  format(from: number, to: number, column: number, out: number, limit: number): number;
  /** Where it stopped: address in the text, column, address in the output, and number of completed rows. */
  readonly position: WasmVariable;
  readonly column: WasmVariable;
  readonly written: WasmVariable;
  readonly rows: WasmVariable;
}

/** Creates the kernel for the columns in a memory. */
export async function loadNdjsonModule(memory: LineMemory): Promise<NdjsonModule> {
  const url = new URL('./ndjson-kernel.wasm', import.meta.url);
  const module = await instantiate<NdjsonModule>(url, memory.memory);
  module.setup(memory.records, memory.keys.length, memory.leading, memory.fixedRoom);
  return module;
}
