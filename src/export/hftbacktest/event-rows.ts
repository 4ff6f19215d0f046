import { createOwnMemory, instantiateSync } from '../../base/wasm.js';
import { type CrcFoldModule, computeMemoryCrc } from '../../gzip/inflate/inflated-text.js';
import { copyEvents, createEventColumns, EVENT_BYTES, type EventColumns } from './event-sequences.js';
import type { EventBlock } from './sorted-events.js';

/** Rows in a block, at most; each block is deflated independently. */
export const BLOCK_ROWS = 16_384;
export const ROW_BYTES = 64;

/** Valid until the next call. */
interface EncodedRows {
  readonly rows: Uint8Array<ArrayBuffer>;
  /** CRC-32 of the rows. */
  readonly crc: number;
  /** The rows as deflate blocks, which end at a byte and refer to nothing before. */
  readonly deflated: Uint8Array<ArrayBuffer>;
}

/** Exports of assembly/event-rows-kernel.ts, where they are documented. */
interface EventRowsModule extends CrcFoldModule {
  initialize(): number;
  writeRows(rows: number, shift: bigint): void;
  deflateRows(rows: number): number;
}

/** Addresses in the kernel's memory, the same as there. */
const COLUMNS_ADDRESS = 65_536;
const ROWS_ADDRESS = COLUMNS_ADDRESS + EVENT_BYTES * BLOCK_ROWS;
const TOKENS_ADDRESS = ROWS_ADDRESS + ROW_BYTES * BLOCK_ROWS;
const OUT_ADDRESS = TOKENS_ADDRESS + 4 * ROW_BYTES * BLOCK_ROWS + 64;
const LAST_ROWS_ADDRESS = OUT_ADDRESS + 2 * ROW_BYTES * BLOCK_ROWS;
const CHECKSUM_ADDRESS = LAST_ROWS_ADDRESS + 5 * 32_768;
const MEMORY_BYTES = CHECKSUM_ADDRESS + 65_536;

/** Turns columns of events into deflated rows of hftbacktest (docs/spec/hftbacktest-format.md#rows). */
export class EventRows {
  readonly #kernel: EventRowsModule;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #columns: EventColumns;

  constructor() {
    const memory = createOwnMemory(MEMORY_BYTES);
    const url = new URL('./event-rows-kernel.wasm', import.meta.url);
    this.#kernel = instantiateSync<EventRowsModule>(url, memory);
    if (this.#kernel.initialize() > MEMORY_BYTES) throw new Error('the memory of the kernel is too small');
    const { buffer } = memory;
    this.#bytes = new Uint8Array(buffer);
    this.#columns = createEventColumns(BLOCK_ROWS, buffer, COLUMNS_ADDRESS);
  }

  /**
   * @param columns of `BLOCK_ROWS` rows.
   * @param rows how many of these there are, at least one.
   * @param shiftNs nanoseconds that are added to local times.
   */
  encode(columns: EventColumns, rows: number, shiftNs: bigint): EncodedRows {
    copyEvents(this.#columns, columns, 0, 0, rows);
    this.#kernel.writeRows(rows, shiftNs);
    const bytes = this.#kernel.deflateRows(rows);
    const rowsEnd = ROWS_ADDRESS + ROW_BYTES * rows;
    return {
      rows: this.#bytes.subarray(ROWS_ADDRESS, rowsEnd),
      crc: computeMemoryCrc(this.#kernel, this.#bytes, ROWS_ADDRESS, rowsEnd, 0),
      deflated: this.#bytes.subarray(OUT_ADDRESS, OUT_ADDRESS + bytes),
    };
  }
}

/** A block of events. Its columns are in shared memory if threads encode it. */
export interface RowBlock extends EventBlock {
  /** Nanoseconds that are added to local times. */
  readonly shiftNs: bigint;
}

export interface EncodedBlock {
  /** Ends at a byte, and refers to no earlier block. */
  readonly deflated: Uint8Array<ArrayBuffer>;
  /** Of the rows. */
  readonly crc: number;
}

export function encodeBlock(encoder: EventRows, { columns, rows, shiftNs }: RowBlock): EncodedBlock {
  const block = encoder.encode(columns, rows, shiftNs);
  return { deflated: block.deflated.slice(), crc: block.crc };
}
