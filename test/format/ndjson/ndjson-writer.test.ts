import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Compression } from '../../../src/format/compressor.js';
import { createNdjsonWriter } from '../../../src/format/ndjson/ndjson-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';

async function writeNothing(compression: Compression): Promise<Uint8Array> {
  const sink = createMemorySink();
  await (await createNdjsonWriter(sink, compression)).finish({});
  return sink.bytes();
}

test('without rows, writes an empty file, or one empty member or frame', async () => {
  assert.equal((await writeNothing('none')).length, 0);
  assert.equal(gunzipSync(await writeNothing('gzip')).length, 0);
  const zstd = await writeNothing('zstd');
  // The magic number of a frame (RFC 8878, section 3.1.1).
  assert.equal(Buffer.from(zstd).readUInt32LE(), 0xfd2fb528);
});
