import { availableParallelism } from 'node:os';
import { crc32 } from 'node:zlib';
import { ThreadPool } from '../../base/thread-pool.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { ByteSink } from '../../format/output-format.js';
import type { SpillFile } from '../job-memory.js';
import {
  BLOCK_ROWS,
  type EncodedBlock,
  EventRows,
  encodeBlock,
  ROW_BYTES,
  type RowBlock,
} from './event-rows.js';
import { createEventColumns, EVENT_BYTES, type EventColumns } from './event-sequences.js';
import { type EventBlock, mergeClocks, type SortedEvents } from './sorted-events.js';

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

/** Rows in memory: those of most days, so that they need no file. */
const MEMORY_BYTES = 64 * 1_048_576;
/** Bytes that are copied from the file at once. */
const COPY_BYTES = 1_048_576;

/** Deflated rows in their order: the first ones in memory, those beyond in a spill file. */
export class DeflatedRows {
  readonly #createSpill: () => Promise<SpillFile>;
  readonly #memoryBytes: number;
  readonly #parts: Uint8Array[] = [];
  #partBytes = 0;
  #spill: SpillFile | undefined;

  /** @param createSpill creates the file, if it is needed. */
  constructor(createSpill: () => Promise<SpillFile>, memoryBytes = MEMORY_BYTES) {
    this.#createSpill = createSpill;
    this.#memoryBytes = memoryBytes;
  }

  get bytes(): number {
    return this.#partBytes + (this.#spill?.bytes ?? 0);
  }

  /** Adds bytes, which must not change. Calls must not overlap. @throws TickhaulError `disk`. */
  async add(bytes: Uint8Array): Promise<void> {
    if (!this.#spill && this.#partBytes + bytes.length <= this.#memoryBytes) {
      this.#parts.push(bytes);
      this.#partBytes += bytes.length;
      return;
    }
    this.#spill ??= await this.#createSpill();
    await this.#spill.write(bytes);
  }

  /** Writes all bytes. Call it after the last `add`. @throws TickhaulError `disk`; errors of the output. */
  async writeTo(out: ByteSink): Promise<void> {
    for (const part of this.#parts) await out.write(part);
    if (!this.#spill) return;
    for (let at = 0; at < this.#spill.bytes; at += COPY_BYTES) {
      const part = Buffer.allocUnsafe(Math.min(COPY_BYTES, this.#spill.bytes - at));
      await this.#spill.read(part, at);
      await out.write(part);
    }
  }
}

/** One merge keeps no more threads busy; on two processors, the reader and the merge leave less than one. */
const MAX_THREADS = availableParallelism() > 2 ? 2 : 1;

/** Turns blocks into deflated rows, in threads or in the calling one. */
export interface RowEncoder {
  /** Blocks that keep it busy. */
  readonly maxBlocks: number;
  /** @param block does not change until the result is there. */
  encode(block: RowBlock): Promise<EncodedBlock>;
  close(): Promise<void>;
}

/** Starts the threads. */
export function createThreadEncoder(): RowEncoder {
  const pool = new ThreadPool<RowBlock, EncodedBlock>({
    maxThreads: MAX_THREADS,
    startThread: () =>
      new WorkerThread(new URL('./row-encoder-worker.js', import.meta.url), { name: 'row encoder' }),
  });
  pool.start(MAX_THREADS);
  return {
    maxBlocks: 4 * MAX_THREADS,
    encode: (block) => pool.run(block),
    close: () => pool.close(),
  };
}

export function createInlineEncoder(): RowEncoder {
  const rows = new EventRows();
  return { maxBlocks: 1, encode: async (block) => encodeBlock(rows, block), close: async () => {} };
}

/** A zip file with one deflated entry (docs/spec/hftbacktest-format.md#container), without the deflated bytes. */
interface ZipEntry {
  /** Before the deflated bytes. */
  readonly head: Buffer;
  /** After them. */
  readonly tail: Buffer;
}

/** Values from here on are in the fields of zip64. */
const ZIP64_LIMIT = 0xffff_ffff;
/** 1980-01-01, so that equal contents are equal files. */
const DOS_DATE = 0x21;

/** @param size bytes before they were deflated. @param deflatedSize bytes of the deflated stream. */
export function createZipEntry(name: string, crc: number, size: number, deflatedSize: number): ZipEntry {
  const isLarge = size >= ZIP64_LIMIT || deflatedSize >= ZIP64_LIMIT;
  const extra = isLarge ? createRecord([2, 1], [2, 16], [8, size], [8, deflatedSize]) : Buffer.alloc(0);
  const nameBytes = Buffer.from(name);
  const shared = createRecord(
    // Version that is needed, flags, deflate, time, date.
    [2, isLarge ? 45 : 20],
    [2, 0],
    [2, 8],
    [2, 0],
    [2, DOS_DATE],
    [4, crc],
    [4, isLarge ? ZIP64_LIMIT : deflatedSize],
    [4, isLarge ? ZIP64_LIMIT : size],
    [2, nameBytes.length],
    [2, extra.length],
  );
  const head = Buffer.concat([createRecord([4, 0x0403_4b50]), shared, nameBytes, extra]);
  const directory = Buffer.concat([
    createRecord([4, 0x0201_4b50], [2, 45]),
    shared,
    // Comment, disk, attributes, and the position of the entry.
    createRecord([2, 0], [2, 0], [2, 0], [4, 0], [4, 0]),
    nameBytes,
    extra,
  ]);
  return { head, tail: Buffer.concat([directory, createEnd(head.length + deflatedSize, directory.length)]) };
}

/** The end of the file. @param position of the central directory. */
function createEnd(position: number, bytes: number): Buffer {
  const isLarge = position >= ZIP64_LIMIT;
  const large = isLarge
    ? createRecord(
        [4, 0x0606_4b50],
        [8, 44],
        [2, 45],
        [2, 45],
        [4, 0],
        [4, 0],
        [8, 1],
        [8, 1],
        [8, bytes],
        [8, position],
        // The locator of this record.
        [4, 0x0706_4b50],
        [4, 0],
        [8, position + bytes],
        [4, 1],
      )
    : Buffer.alloc(0);
  const end = createRecord(
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, 1],
    [2, 1],
    [4, bytes],
    [4, isLarge ? ZIP64_LIMIT : position],
    [2, 0],
  );
  return Buffer.concat([large, end]);
}

/** Little-endian integers, each with its number of bytes. */
function createRecord(...fields: readonly (readonly [number, number])[]): Buffer {
  const record = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return record;
}

/** What following bytes do to the CRC-32 of a text, apart from their own: a linear map, as a matrix of bits by columns. */
type Crc32Shift = readonly number[];

const ZERO = Buffer.alloc(1);

/** Creates the shift by a number of bytes: the matrix of one byte, squared again and again. */
export function createCrc32Shift(bytes: number): Crc32Shift {
  let matrix: Crc32Shift = Array.from({ length: 32 }, (_, bit) => addZeroByte((1 << bit) >>> 0));
  let shift: Crc32Shift = Array.from({ length: 32 }, (_, bit) => 1 << bit);
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = shift.map((column) => multiply(matrix, column));
    matrix = matrix.map((column) => multiply(matrix, column));
  }
  return shift;
}

/** CRC-32 of bytes that follow other ones. @param shift of the number of bytes that `second` is of. */
export function combineCrc32(first: number, second: number, shift: Crc32Shift): number {
  return (multiply(shift, first) ^ second) >>> 0;
}

/** Without the inversions before and after, which are equal for all texts of a length. */
function addZeroByte(crc: number): number {
  return crc32(ZERO, crc) ^ crc32(ZERO, 0);
}

function multiply(matrix: Crc32Shift, vector: number): number {
  let product = 0;
  for (let bit = 0; bit < 32; bit++) if ((vector >>> bit) & 1) product ^= matrix[bit] as number;
  return product;
}
