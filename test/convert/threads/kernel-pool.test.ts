import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parquetMetadata } from 'hyparquet';
import { TickhaulError } from '../../../src/base/errors.js';
import { KernelThread } from '../../../src/convert/threads/kernel-pool.js';
import { createLocalKernels, type KernelHost } from '../../../src/convert/threads/local-kernel.js';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Piece } from '../../../src/format/csv/piece-memory.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { startedThreads } from '../../helpers/started-threads.js';
import { csvOf } from '../day-files.js';
import { begin, convertText, kernelsOf, outputInMemory, SOURCE } from './converting.js';

/** The calling thread, and several. */
const THREADS = [0, 2];
const NDJSON = createOutputOptions('ndjson', {});
const PARQUET = createOutputOptions('parquet', { rowGroup: 1000 });

/** Replaces the price of some rows, counted from 0. */
function withPrices(csv: string, prices: Readonly<Record<number, string>>): string {
  const lines = csv.split('\n');
  for (const [row, price] of Object.entries(prices)) {
    const cells = (lines[Number(row) + 1] ?? '').split(',');
    cells[6] = price;
    lines[Number(row) + 1] = cells.join(',');
  }
  return lines.join('\n');
}

for (const chosen of [PARQUET, NDJSON, createOutputOptions('ndjson', { compression: 'zstd' })]) {
  // Several batches of few rows.
  const options = { ...chosen, maxTextBytes: 100_000 };
  const name = `${options.format}, ${options.compression}`;
  test(`${name}: any number of threads and any chunks give the same bytes`, async () => {
    for (const [dataType, rows] of [
      ['trades', 5500],
      ['book_snapshot_25', 450],
    ] as const) {
      const csv = csvOf(dataType, rows);
      const expected = await convertText(csv, options, kernelsOf(0), { dataType });
      for (const threads of [0, 1, 3]) {
        const chunk = threads === 1 ? 1 << 20 : 9973;
        const bytes = await convertText(csv, options, kernelsOf(threads), { dataType, chunk });
        assert.ok(bytes.equals(expected), `${dataType} in ${threads} threads, chunks of ${chunk}`);
      }
      const gathered = await convertText(csv, options, createLocalKernels(true), { dataType, chunk: 9973 });
      assert.ok(gathered.equals(expected), `${dataType}, gathered`);
    }
  });

  test(`${name}: quotes in the middle give the same bytes in any number of threads`, async () => {
    const csv = withPrices(csvOf('trades', 5500), { 2600: '"1.5"', 4100: '"2"' });
    const plain = withPrices(csvOf('trades', 5500), { 2600: '1.5', 4100: '2' });
    const expected = await convertText(plain, options, kernelsOf(0));
    for (const threads of THREADS) {
      const bytes = await convertText(csv, options, kernelsOf(threads), { chunk: 23_000 });
      assert.ok(bytes.equals(expected), `${threads} threads`);
    }
  });
}

test('converts a small file that is split at any byte', async () => {
  const csv = csvOf('trades', 4);
  const expected = await convertText(csv, NDJSON, kernelsOf(0));
  for (let at = 1; at < csv.length; at++) {
    const output = outputInMemory();
    const conversion = begin(NDJSON, kernelsOf(0), output);
    await conversion.write(Buffer.from(csv.slice(0, at)));
    await conversion.write(Buffer.from(csv.slice(at)));
    await conversion.finish(SOURCE);
    assert.ok(output.bytes().equals(expected), `cut at ${at}`);
  }
});

test('reports the first of several errors in the file, and writes the batches before it', async () => {
  // The later error is in the first row of its batch, the earlier one in the last.
  const csv = withPrices(csvOf('trades', 6000), { 2999: '1x', 4000: '2x', 5500: '3x' });
  const whole = await convertText(csvOf('trades', 6000), PARQUET, kernelsOf(0));
  for (const threads of THREADS) {
    const output = outputInMemory();
    await assert.rejects(convertText(csv, PARQUET, kernelsOf(threads), { output }), {
      code: 'corrupt',
      message: /^day\.csv\.gz: line 3001, column price: "1x" is not a decimal number/,
    });
    assert.equal(output.ended(), 'discarded');
    const written = output.bytes();
    assert.ok(written.length > 4 && whole.subarray(0, written.length).equals(written), `${threads} threads`);
  }
});

test('reports errors in the rows before a row without an end, or before a failure of the source', async () => {
  const bad = withPrices(csvOf('trades', 3000), { 2500: '1x' });
  for (const threads of THREADS) {
    const long = `${bad}${'9'.repeat(3_000_000)}`;
    await assert.rejects(convertText(long, PARQUET, kernelsOf(threads)), {
      message: /line 2502, column price/,
    });
    const conversion = begin(PARQUET, kernelsOf(threads), outputInMemory());
    await conversion.write(Buffer.from(bad));
    await assert.rejects(conversion.drain(), { message: /line 2502, column price/ });
    await conversion.abort();
    const right = begin(PARQUET, kernelsOf(threads), outputInMemory());
    await right.write(Buffer.from(csvOf('trades', 3000)));
    await right.drain();
    await right.abort();
  }
});

test('batches with too much text end early, equally in this thread and in others', async () => {
  const chosen = createOutputOptions('parquet', { rowGroup: 90, compression: 'none' });
  const options = { ...chosen, maxTextBytes: 4 * 1024 * 1024 };
  const [header = '', row = ''] = csvOf('trades', 1).split('\n');
  const cells = row.split(',');
  const lines = Array.from({ length: 100 }, (_, i) => cells.with(4, `${i}`.padEnd(56_250, 'x')).join(','));
  const csv = `${[header, ...lines].join('\n')}\n`;
  const expected = await convertText(csv, options, kernelsOf(0));
  const { row_groups } = parquetMetadata(Uint8Array.from(expected).buffer);
  assert.deepEqual(
    row_groups.map(({ num_rows }) => Number(num_rows)),
    [75, 25],
  );
  assert.ok((await convertText(csv, options, kernelsOf(2))).equals(expected));
});

test('a failing sink ends the conversion with its error, in any number of threads', async () => {
  const full = new TickhaulError('disk', 'out: the disk is full');
  for (const threads of THREADS) {
    let writes = 0;
    const output = outputInMemory(async () => {
      if (++writes === 3) throw full;
    });
    await assert.rejects(convertText(csvOf('trades', 30_000), NDJSON, kernelsOf(threads), { output }), full);
    assert.deepEqual([writes, output.ended()], [3, 'discarded']);
  }
});

test('a slow sink delays the writes of text', async () => {
  const csv = csvOf('trades', 20_000);
  const text = Buffer.from(csv.slice(csv.indexOf('\n') + 1));
  for (const threads of [0, 1]) {
    let writtenLines = 0;
    const output = outputInMemory(async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) writtenLines++;
    });
    const conversion = begin(NDJSON, kernelsOf(threads), output);
    await conversion.write(Buffer.from(csv.slice(0, csv.indexOf('\n') + 1)));
    // Text in the pieces of each thread, and in the chunk of this test.
    const bound = (16 * threads + 4) * 1024 * 1024 + text.length;
    const times = Math.ceil((1.6 * bound) / text.length);
    let maxPending = 0;
    for (let i = 1; i <= times; i++) {
      await conversion.write(text);
      maxPending = Math.max(maxPending, i * text.length - (writtenLines / 20_000) * text.length);
    }
    await conversion.finish(SOURCE);
    assert.equal(writtenLines, times * 20_000);
    assert.ok(
      maxPending < bound && times * text.length > 1.5 * bound,
      `${threads} threads: ${maxPending} bytes`,
    );
  }
});

test('stops at once while a thread is busy or waits for a slow sink', async () => {
  const reason = new TickhaulError('interrupted', 'interrupted (SIGINT)');
  const huge = createOutputOptions('parquet', { rowGroup: 50_000_000 });
  const text = Buffer.from(csvOf('trades', 20_000));
  const rows = text.subarray(text.indexOf('\n') + 1);
  for (const [options, threads] of [
    [huge, 1],
    [NDJSON, 1],
    [NDJSON, 2],
  ] as const) {
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const output = outputInMemory(() => gate);
    const conversion = begin(options, kernelsOf(threads), output);
    await conversion.write(text);
    const writing = (async () => {
      for (;;) await conversion.write(rows);
    })();
    // More than the pieces hold, so that the write waits for the thread or the sink until the stop.
    setImmediate(() => {
      conversion.stop(reason);
      openGate();
    });
    await assert.rejects(writing, reason);
    await conversion.abort();
    assert.equal(output.ended(), 'discarded');
  }
});

test('takes a large batch as a whole if there are more than two kernels', async (t) => {
  for (const [kernels, pieces] of [
    [2, 16],
    [3, 32],
  ] as const) {
    const pool = kernelsOf(kernels);
    cleanUp(t, () => pool.close());
    await pool.first.acquirePiece();
    let acquired = 1;
    for (let i = 1; i < 40; i++) {
      pool.first.acquirePiece().then(
        () => acquired++,
        () => {},
      );
    }
    await nextTurn();
    assert.equal(acquired, pieces, `${kernels} kernels`);
  }
});

test('if a kernel fails, its batches and pending calls fail', async (t) => {
  const { host, piece } = await openHost(t);
  const batch = host.finishBatch();
  // An invalid address simulates a bug in the thread.
  await host.parse(
    { ...piece, at: 1 << 30 },
    { source: 'day.csv.gz', length: 8, line: 2, quoted: false, endsBatch: true },
  );
  await assert.rejects(batch, RangeError);
  await assert.rejects(host.acquirePiece(), RangeError);
  await assert.rejects(host.finishBatch(), RangeError);
});

test('if a kernel thread ends between two pieces, its batch fails with the next piece', async (t) => {
  const workers = startedThreads(t);
  const { host, piece } = await openHost(t);
  // Node reports a thread in a later tick.
  await nextTurn();
  assert.equal(workers.length, 1);
  await workers[0]?.terminate();
  const batch = host.finishBatch();
  await host.parse(piece, { source: 'day.csv.gz', length: 8, line: 2, quoted: false, endsBatch: false });
  await assert.rejects(batch, /the kernel thread ended with code/);
  await assert.rejects(host.acquirePiece(), /the kernel thread ended with code/);
});

async function openHost(t: TestContext): Promise<{ readonly host: KernelHost; readonly piece: Piece }> {
  const host = new KernelThread(() => {});
  cleanUp(t, () => host.close());
  host.open({ source: 'day.csv.gz', schema: dataTypeColumns('trades') ?? [], options: NDJSON });
  return { host, piece: await host.acquirePiece() };
}
