import type { EventRows } from './event-rows.js';
import type { EventBlock } from './merge-clocks.js';

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
