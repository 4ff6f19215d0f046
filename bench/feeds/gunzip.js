// Decompression and output alone, which every raw replay needs: node gunzip.js <folder of slices>
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const [folder] = process.argv.slice(2);
const names = await readdir(folder, { recursive: true });
for (const name of names.filter((one) => one.endsWith('.gz')).sort()) {
  const text = createGunzip({ chunkSize: 1_048_576 });
  await pipeline(createReadStream(join(folder, name)), text, process.stdout, { end: false });
}
