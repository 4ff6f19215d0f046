import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createMemorySink } from '../../../src/format/byte-sink.js';
import { createNdjsonWriter } from '../../../src/format/ndjson/ndjson-writer.js';

type Compression = Parameters<typeof createNdjsonWriter>[1];

async function writeBatches(parts: readonly Uint8Array[], compression: Compression): Promise<Uint8Array> {
  const sink = createMemorySink();
  const writer = await createNdjsonWriter(sink, compression);
  for (const bytes of parts) await writer.write({ rows: 1, bytes });
  assert.deepEqual(await writer.finish({}), { rows: parts.length, bytes: sink.bytes().length });
  return sink.bytes();
}

test('keeps the gzip members of all batches', async () => {
  const parts = ['{"a":1}\n', '{"a":2}\n'].map((text) => gzipSync(text));
  assert.equal(gunzipSync(await writeBatches(parts, 'gzip')).toString(), '{"a":1}\n{"a":2}\n');
});

test('without rows, writes an empty file, or one empty member or frame', async () => {
  assert.equal((await writeBatches([], 'none')).length, 0);
  assert.equal(gunzipSync(await writeBatches([], 'gzip')).length, 0);
  const zstd = await writeBatches([], 'zstd');
  // The magic number of a frame (RFC 8878, section 3.1.1).
  assert.equal(Buffer.from(zstd).readUInt32LE(), 0xfd2fb528);
});
