import { crc32 } from 'node:zlib';
import type { ByteSink } from '../../format/output-format.js';
import { combineCrc32, createCrc32Shift } from './crc32-shift.js';
import type { DeflatedRows } from './deflated-rows.js';
import type { EncodedBlock } from './encode-block.js';
import { createEventColumns, EVENT_BYTES, type EventColumns } from './event-columns.js';
import { BLOCK_ROWS, ROW_BYTES } from './event-rows.js';
import { type EventBlock, mergeClocks } from './merge-clocks.js';
import type { RowEncoder } from './row-encoder.js';
import type { SortedEvents } from './sorted-events.js';
import { createZipEntry } from './zip-entry.js';

/** An empty last block, with fixed codes. */
const LAST_BLOCK = Buffer.from([3, 0]);
const FIELDS = [
  ['ev', '<u8'],
  ['exch_ts', '<i8'],
  ['local_ts', '<i8'],
  ['px', '<f8'],
  ['qty', '<f8'],
  ['order_id', '<u8'],
  ['ival', '<i8'],
  ['fval', '<f8'],
];

/**
 * Writes events as an NPZ file (docs/spec/hftbacktest-format.md#container). The number of rows, which is in front, is known at the
 * end, so that deflated rows are kept until then.
 * @param shiftNs nanoseconds that are added to local times.
 * @param deflatedRows without rows.
 * @returns the number of rows.
 */
export async function writeNpz(
  byExch: SortedEvents,
  byLocal: SortedEvents,
  shiftNs: bigint,
  encoder: RowEncoder,
  deflatedRows: DeflatedRows,
  out: ByteSink,
): Promise<number> {
  const free: EventColumns[] = [];
  const encoding: { readonly block: EventBlock; readonly encoded: Promise<EncodedBlock> }[] = [];
  const shiftOfBlock = createCrc32Shift(ROW_BYTES * BLOCK_ROWS);
  let rows = 0;
  let crc = 0;
  /** The last addition to the deflated rows, which goes on while the next events are merged. */
  let written = Promise.resolve();
  const writeNext = async (): Promise<void> => {
    const { block, encoded } = encoding.shift() as (typeof encoding)[0];
    const { deflated, crc: blockCrc } = await encoded;
    const shift = block.rows === BLOCK_ROWS ? shiftOfBlock : createCrc32Shift(ROW_BYTES * block.rows);
    crc = combineCrc32(crc, blockCrc, shift);
    rows += block.rows;
    free.push(block.columns);
    await written;
    written = deflatedRows.add(deflated);
    written.catch(() => {});
  };
  const createBlock = (): EventColumns => free.pop() ?? createSharedColumns();
  for await (const block of mergeClocks(byExch, byLocal, createBlock)) {
    const encoded = encoder.encode({ ...block, shiftNs });
    // It is awaited in its turn.
    encoded.catch(() => {});
    encoding.push({ block, encoded });
    if (encoding.length >= encoder.maxBlocks) await writeNext();
  }
  while (encoding.length > 0) await writeNext();
  await written;
  const head = createNpyHead(rows);
  const bytes = ROW_BYTES * rows;
  const deflatedHead = storeBlock(head);
  const entry = createZipEntry(
    'data.npy',
    combineCrc32(crc32(head), crc, createCrc32Shift(bytes)),
    head.length + bytes,
    deflatedHead.length + deflatedRows.bytes + LAST_BLOCK.length,
  );
  await out.write(Buffer.concat([entry.head, deflatedHead]));
  await deflatedRows.writeTo(out);
  await out.write(Buffer.concat([LAST_BLOCK, entry.tail]));
  return rows;
}

/** Columns of a block that threads read without a copy. */
function createSharedColumns(): EventColumns {
  return createEventColumns(BLOCK_ROWS, new SharedArrayBuffer(EVENT_BYTES * BLOCK_ROWS));
}

/** The header of an NPY file: its length is a multiple of 64. */
function createNpyHead(rows: number): Buffer {
  const descr = FIELDS.map(([name, type]) => `('${name}', '${type}')`).join(', ');
  const dictionary = `{'descr': [${descr}], 'fortran_order': False, 'shape': (${rows},), }`;
  const length = Math.ceil((10 + dictionary.length + 1) / 64) * 64 - 10;
  const text = Buffer.from(`${dictionary.padEnd(length - 1)}\n`);
  return Buffer.concat([Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, length, length >> 8]), text]);
}

/** A stored block of deflate, which is not the last one. */
function storeBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(0xffff - bytes.length, 3);
  return Buffer.concat([head, bytes]);
}
