import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { createMemorySink } from '../../../src/format/byte-sink.js';
import { loadCompressor } from '../../../src/format/compression/compressor.js';
import { createNdjsonOutput } from '../../../src/format/ndjson/ndjson-output.js';
import { tempDir } from '../../helpers/temp.js';
import { linesOf } from '../kernel/helpers.js';

const SUFFIX = { none: '', gzip: '.gz', zstd: '.zst' } as const;
const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const;

async function writeChunks(
  chunks: readonly Uint8Array[],
  compression: keyof typeof SUFFIX,
): Promise<Uint8Array> {
  const sink = createMemorySink();
  const output = createNdjsonOutput(sink, await loadCompressor(compression));
  for (const chunk of chunks) await output.write(chunk);
  const { bytes } = await output.finish();
  assert.equal(bytes, sink.bytes().length);
  return sink.bytes();
}

test('DuckDB reads plain and compressed files of many batches equally', async (t) => {
  const rows = 5000;
  const lines = Array.from(
    { length: rows },
    (_, i) => `binance,BTC,${1e15 + i},${1e15 + 2 * i},id${i},${i % 2 ? 'buy' : ''},${i}.5,0.25\n`,
  );
  const chunks: Buffer[] = [];
  for (let row = 0; row < rows; row += 700) {
    chunks.push(Buffer.from(await linesOf(lines.slice(row, row + 700).join(''))));
  }
  const dir = await tempDir(t);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const duck = await instance.connect();
  t.after(() => {
    duck.closeSync();
    instance.closeSync();
  });
  for (const compression of COMPRESSIONS) {
    const path = join(dir, `day.ndjson${SUFFIX[compression]}`);
    await writeFile(path, await writeChunks(chunks, compression));
    const reader = await duck.runAndReadAll(
      'SELECT count(*), sum(price), sum(amount), sum("local_timestamp" - "timestamp"), count(side), ' +
        `count(DISTINCT id) FROM read_ndjson('${path}')`,
    );
    assert.deepEqual(
      reader.getRows().map((row) => row.map(Number)),
      [[rows, (rows * rows) / 2, rows / 4, (rows * (rows - 1)) / 2, rows / 2, rows]],
      compression,
    );
  }
});

test('writes a gzip member for each write, and keeps them all', async () => {
  const parts = ['{"a":1}\n', '', '{"a":2}\n'].map((text) => Buffer.from(text));
  assert.equal(gunzipSync(await writeChunks(parts, 'gzip')).toString(), '{"a":1}\n{"a":2}\n');
});

test('without rows, writes an empty file, or one empty member or frame', async () => {
  assert.equal((await writeChunks([], 'none')).length, 0);
  assert.equal(gunzipSync(await writeChunks([], 'gzip')).length, 0);
  const zstd = await writeChunks([new Uint8Array()], 'zstd');
  // The magic number of a frame (RFC 8878, section 3.1.1).
  assert.equal(Buffer.from(zstd).readUInt32LE(), 0xfd2fb528);
});
