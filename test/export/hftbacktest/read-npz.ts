import assert from 'node:assert/strict';
import { crc32, inflateRawSync } from 'node:zlib';
import type { ArrayRow } from './slow-events.js';

/** The bytes of an NPZ file's only array, found by the central directory. Sizes and CRC are checked. */
export function readEntry(npz: Buffer): Buffer {
  const end = npz.length - 22;
  assert.equal(npz.readUInt32LE(end), 0x06054b50);
  assert.equal(npz.readUInt16LE(end + 10), 1);
  const directory = npz.readUInt32LE(end + 16);
  assert.equal(npz.readUInt32LE(directory), 0x02014b50);
  const deflatedSize = npz.readUInt32LE(directory + 20);
  const start = npz.readUInt32LE(directory + 42);
  const nameBytes = npz.readUInt16LE(start + 26);
  assert.equal(npz.toString('latin1', start + 30, start + 30 + nameBytes), 'data.npy');
  const from = start + 30 + nameBytes + npz.readUInt16LE(start + 28);
  assert.equal(from + deflatedSize, directory);
  const bytes = inflateRawSync(npz.subarray(from, from + deflatedSize));
  assert.equal(bytes.length, npz.readUInt32LE(directory + 24));
  assert.equal(crc32(bytes), npz.readUInt32LE(directory + 16));
  return bytes;
}

/** The rows of an NPZ file. Columns that are always 0 are checked. */
export function readRows(npz: Buffer): ArrayRow[] {
  const bytes = readEntry(npz);
  const headBytes = 10 + bytes.readUInt16LE(8);
  assert.equal(headBytes % 64, 0);
  assert.equal(bytes[headBytes - 1], 10);
  const count = Number(/'shape': \((\d+),\)/.exec(bytes.toString('latin1', 10, headBytes))?.[1]);
  assert.equal(bytes.length, headBytes + 64 * count);
  const zeros = Buffer.alloc(24);
  return Array.from({ length: count }, (_, row) => {
    const at = headBytes + 64 * row;
    assert.ok(zeros.equals(bytes.subarray(at + 40, at + 64)));
    return {
      ev: bytes.readBigUInt64LE(at),
      exch: bytes.readBigInt64LE(at + 8),
      local: bytes.readBigInt64LE(at + 16),
      px: bytes.readDoubleLE(at + 24),
      qty: bytes.readDoubleLE(at + 32),
    };
  });
}
