// Decompression alone, which every conversion needs.
import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { task } from './columns.js';

for (const { source } of task().files) {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(source), createGunzip({ chunkSize: 1_048_576 }), nowhere);
}
