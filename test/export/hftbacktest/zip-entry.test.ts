import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { combineCrc32, createCrc32Shift, createZipEntry } from '../../../src/export/hftbacktest/write-npz.js';
import { createRandom } from '../../audit/text-rows.js';
import { noPython } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { readEntry } from './read-npz.js';

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
