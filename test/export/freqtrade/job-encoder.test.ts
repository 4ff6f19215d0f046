import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobEncoder } from '../../../src/export/freqtrade/job-encoder.js';
import { TradeColumns, type TradeRows } from '../../../src/export/freqtrade/trade-columns.js';
import type { EncodedRecordBatch } from '../../../src/format/arrow/record-batch.js';
import { startedThreads } from '../../helpers/started-threads.js';

/** Trades whose columns do not begin at the start of their memory. */
function createTrades(rows: number, seed: number): TradeRows {
  const columns = new TradeColumns();
  for (let row = 0; row < rows + 3; row++) {
    const ids = Buffer.from(String(seed * row));
    columns.append(
      {
        timestamps: Float64Array.of(1e15 + row * 700),
        prices: Float64Array.of(row % 100),
        amounts: Float64Array.of((row % 7) / 8),
        sides: Uint8Array.of(row % 3),
        idOffsets: Int32Array.of(0, ids.length),
        ids,
      },
      0,
    );
  }
  return columns.slice(3, rows + 3);
}

const BATCHES = [40_000, 1, 50_000, 33_000].map((rows, i) => createTrades(rows, i + 1));

async function encodeAll(encoder: JobEncoder): Promise<readonly EncodedRecordBatch[]> {
  const written: EncodedRecordBatch[] = [];
  for (const trades of BATCHES)
    await encoder.encode(trades, async ({ rows, message, bytes }) => {
      written.push({ rows, message: Uint8Array.from(message), bytes: Uint8Array.from(bytes) });
    });
  await encoder.flush();
  await encoder.close();
  return written;
}

test('encodes large batches in a thread as in the calling one, in their order', async (t) => {
  const threads = startedThreads(t);
  const inline = await encodeAll(new JobEncoder(false));
  assert.equal(threads.length, 0);
  assert.deepEqual(
    inline.map(({ rows }) => rows),
    BATCHES.map(({ timestamps }) => timestamps.length),
  );
  assert.deepEqual(await encodeAll(new JobEncoder(true)), inline);
  assert.equal(threads.length, 1);
  assert.equal(threads[0]?.threadId, -1);
});

test('passes on errors of the sink, also of a batch that a thread encoded', async () => {
  const [large, small] = BATCHES as [TradeRows, TradeRows];
  const fail = (): Promise<void> => Promise.reject(new Error('disk full'));
  for (const canStartThread of [false, true]) {
    const encoder = new JobEncoder(canStartThread);
    await assert.rejects(async () => {
      await encoder.encode(large, fail);
      await encoder.encode(small, async () => assert.fail('the batch before was not written'));
    }, /disk full/);
    await encoder.close();
  }
});
