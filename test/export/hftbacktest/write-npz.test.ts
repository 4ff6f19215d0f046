import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeAll } from '../../../src/base/disk-files.js';
import { BLOCK_ROWS, EventRows, ROW_BYTES } from '../../../src/export/hftbacktest/event-rows.js';
import {
  type Clock,
  createEventColumns,
  EventSpace,
} from '../../../src/export/hftbacktest/event-sequences.js';
import { EventStore } from '../../../src/export/hftbacktest/event-store.js';
import { SortedEvents } from '../../../src/export/hftbacktest/sorted-events.js';
import {
  combineCrc32,
  createCrc32Shift,
  createZipEntry,
  DeflatedRows,
  type RowEncoder,
  writeNpz,
} from '../../../src/export/hftbacktest/write-npz.js';
import { openSpillFile } from '../../../src/export/job-memory.js';
import { createRandom } from '../../audit/text-rows.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { noPython } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { readEntry } from './read-npz.js';

/** Blocks of 1 MiB; from 4,096 on, the array and the file have 4 GiB and more (`npm run test:nightly -- zip64`). */
const NPZ_BLOCKS = Number(process.env['NPZ_BLOCKS'] ?? 3);
const MAX_STORED_BYTES = 65_535;

/** Reads all blocks, and with them the checksum. */
const READ_ARRAY = `
import sys, zipfile
[info] = zipfile.ZipFile(sys.argv[1]).infolist()
with zipfile.ZipFile(sys.argv[1]).open(info) as stream:
    head = stream.read(10)
    head += stream.read(int.from_bytes(head[8:10], 'little'))
    first = stream.read(${BLOCK_ROWS * ROW_BYTES})
    blocks = 1
    while block := stream.read(len(first)):
        assert block == first
        blocks += 1
print(info.filename, info.file_size - len(head), info.compress_size, blocks, head.decode('latin1').split("'shape': ")[1].strip())
`;

test('writes an array of any size, which Python reads', { skip: noPython('zipfile') }, async (t) => {
  const path = join(await tempDir(t), 'large.npz');
  const space = new EventSpace(openSpillFile, BLOCK_ROWS * ROW_BYTES);
  const events = createEventColumns(BLOCK_ROWS);
  events.exch.fill(1_709_251_200_000_000);
  events.local.fill(1_709_251_200_000_100);
  for (let row = 0; row < BLOCK_ROWS; row++) events.px[row] = 60_000 + row / 8;
  const store = new EventStore(space);
  store.push(events, 0, BLOCK_ROWS);
  store.end();
  const openRepeated = (clock: Clock): Promise<SortedEvents> => {
    const [run] = store.ascendingRuns(clock);
    assert.ok(run);
    return SortedEvents.open(space, [Array(NPZ_BLOCKS).fill(run)], clock);
  };
  const spill = await openSpillFile();
  cleanUp(t, () => spill.close());
  // Room for the first block, and none for the others.
  const deflatedRows = new DeflatedRows(async () => spill, 1.5 * BLOCK_ROWS * ROW_BYTES);
  const file = await open(path, 'w');
  let bytes = 0;
  const write = async (chunk: Uint8Array): Promise<void> => {
    await writeAll(file, chunk, bytes, path);
    bytes += chunk.length;
  };
  const [byExch, byLocal] = [await openRepeated('exch'), await openRepeated('local')];
  const rows = await writeNpz(byExch, byLocal, 0n, createStoringEncoder(), deflatedRows, { write });
  await file.close();
  assert.ok(spill.bytes > (NPZ_BLOCKS - 1) * BLOCK_ROWS * ROW_BYTES);
  assert.ok(spill.bytes < NPZ_BLOCKS * BLOCK_ROWS * ROW_BYTES);

  const arrayBytes = NPZ_BLOCKS * BLOCK_ROWS * ROW_BYTES;
  assert.equal(rows, NPZ_BLOCKS * BLOCK_ROWS);
  assert.ok((await stat(path)).size > arrayBytes);
  const read = execFileSync('python3', ['-c', READ_ARRAY, path], { encoding: 'utf8' });
  const [name, size, compressed, blocks, ...shape] = read.trim().split(' ');
  assert.deepEqual([name, Number(size), Number(blocks)], ['data.npy', arrayBytes, NPZ_BLOCKS]);
  assert.ok(Number(compressed) > arrayBytes);
  assert.equal(shape.join(' '), `(${rows},), }`);
});

/** Encodes the first block, which all others are equal to, without compression, so that files are large soon. */
function createStoringEncoder(): RowEncoder {
  const eventRows = new EventRows();
  let encoded: ReturnType<RowEncoder['encode']> | undefined;
  return {
    maxBlocks: 1,
    encode({ columns, rows, shiftNs }) {
      if (encoded) return encoded;
      const bytes = eventRows.encode(columns, rows, shiftNs).rows;
      encoded = Promise.resolve({ deflated: storeBytes(bytes), crc: crc32(bytes) });
      return encoded;
    },
    close: async () => {},
  };
}

/** Stored blocks of deflate, none of which is the last. */
function storeBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MAX_STORED_BYTES) {
    const block = bytes.subarray(at, at + MAX_STORED_BYTES);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(0xffff - block.length, 3);
    blocks.push(head, block);
  }
  return Uint8Array.from(Buffer.concat(blocks));
}

test('writes rows in their order, from memory and from the file', async (t) => {
  const spill = await openSpillFile();
  cleanUp(t, () => spill.close());
  const rows = new DeflatedRows(async () => spill, 5);
  // The fourth part would fit in memory, but follows one that does not.
  for (const part of [[1, 2], [3, 4], [5, 6, 7], [8], []]) await rows.add(Uint8Array.from(part));
  assert.equal(rows.bytes, 8);
  assert.equal(spill.bytes, 4);
  const written: number[] = [];
  await rows.writeTo({ write: async (bytes) => void written.push(...bytes) });
  assert.deepEqual(written, [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('creates no file for rows that fit in memory', async () => {
  const rows = new DeflatedRows(() => assert.fail('a file was created'), 2);
  await rows.add(Uint8Array.of(1, 2));
  assert.equal(rows.bytes, 2);
});

test('combines checksums', () => {
  const random = createRandom(3);
  for (const [first, second] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [128, 64],
    [999, 123_457],
  ] as const) {
    const bytes = Buffer.from(Array.from({ length: first + second }, () => Math.floor(random() * 256)));
    const crc = combineCrc32(
      crc32(bytes.subarray(0, first)),
      crc32(bytes.subarray(first)),
      createCrc32Shift(second),
    );
    assert.equal(crc, crc32(bytes));
  }
});

test('frames one deflated entry', () => {
  const bytes = Buffer.from('bytes '.repeat(99));
  const deflated = deflateRawSync(bytes);
  const { head, tail } = createZipEntry('data.npy', crc32(bytes), bytes.length, deflated.length);
  assert.deepEqual(readEntry(Buffer.concat([head, deflated, tail])), bytes);
});

test('has zip64 fields for 4 GiB and more', { skip: noPython('zipfile') }, async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, 'large.npz');
  const list = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for info in archive.infolist(): print(info.filename, info.file_size, info.compress_size, info.CRC, archive.open(info).read(3) == b'123')
`;
  const deflated = deflateRawSync('12345');
  for (const size of [0xffff_fffe, 0xffff_ffff, 2 ** 40]) {
    const { head, tail } = createZipEntry('data.npy', crc32('12345'), size, deflated.length);
    await writeFile(path, Buffer.concat([head, deflated, tail]));
    const listed = execFileSync('python3', ['-c', list, path], { encoding: 'utf8' });
    assert.equal(listed, `data.npy ${size} ${deflated.length} ${crc32('12345')} True\n`);
  }
});

test('has a zip64 end if the entry has 4 GiB and more', () => {
  const deflatedSize = 2 ** 33;
  const { head, tail } = createZipEntry('data.npy', 7, 2 ** 34, deflatedSize);
  const end = tail.subarray(-22);
  const locator = tail.subarray(-42, -22);
  assert.equal(end.readUInt32LE(16), 0xffff_ffff);
  assert.equal(locator.readUInt32LE(0), 0x07064b50);
  const position = Number(locator.readBigUInt64LE(8)) - head.length - deflatedSize;
  assert.equal(tail.readUInt32LE(position), 0x06064b50);
  assert.equal(Number(tail.readBigUInt64LE(position + 4)), 44);
  assert.equal(Number(tail.readBigUInt64LE(position + 40)), position);
  assert.equal(Number(tail.readBigUInt64LE(position + 48)), head.length + deflatedSize);
});
