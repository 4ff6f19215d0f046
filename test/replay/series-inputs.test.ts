import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { Semaphore } from '../../src/base/semaphore.js';
import type { DataType } from '../../src/day-files/data-types.js';
import { addDays, parseDay } from '../../src/day-files/day.js';
import { createLineMemories } from '../../src/market/day-file/text-lines.js';
import type { TimedLines } from '../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../src/market/message-type-name.js';
import { TimeMerge } from '../../src/market/time-merge.js';
import { createHandover, createReplayThreads } from '../../src/replay/line-jobs.js';
import { FileArrivals } from '../../src/replay/open-replay.js';
import type { Arrival, ReplaySeries, SeriesFile } from '../../src/replay/replay-request.js';
import { mergeLines } from '../../src/replay/replay-series.js';
import { type SeriesThreads, startSeriesJobs, startSeriesThread } from '../../src/replay/series-inputs.js';
import {
  createLineBuffers,
  createSharedReading,
  writeSeriesLines,
} from '../../src/replay/write-series-lines.js';
import { localFiles } from '../../src/store/folder/local-files.js';
import { csvOf, writeDayFile } from '../convert/day-files.js';
import { cleanUp } from '../helpers/clean-up.js';
import { tempDir } from '../helpers/temp.js';
import { ALWAYS, linesOf } from '../market/lines-of.js';

const TYPES = ['trade', 'trade_bar_10s', 'book_change', 'quote'].map(parseMessageType);
const { signal } = new AbortController();
const DAY = parseDay('2024-03-01');
const US_A_DAY = 86_400_000_000;
const ignore = (): void => {};
/** For files that exist. */
const NONE: Arrival = () => Promise.reject(new Error('nothing is coming'));

function readHere(
  series: readonly ReplaySeries[],
  textChunk: number,
  arrival: Arrival = NONE,
  warn: (message: string) => void = ignore,
): AsyncIterable<TimedLines>[] {
  const memories = createLineMemories();
  const reading = createSharedReading({
    open: new Semaphore(2),
    files: localFiles,
    textChunk,
    arrival,
    warn,
    memories,
  });
  return series.map((one) =>
    createHandover(createLineBuffers(textChunk), (exchange) =>
      writeSeriesLines(one, reading, exchange, signal),
    ),
  );
}

type Threads = SeriesThreads['threads'];

/** A few threads that end with the test. */
function createThreads(t: TestContext, most = 1, onStart = (): void => {}): Threads {
  const threads = createReplayThreads(most, () => {
    onStart();
    return startSeriesThread(2);
  });
  cleanUp(t, () => threads.close());
  return threads;
}

function readInThread(
  threads: Threads,
  { series, textChunk }: { series: readonly ReplaySeries[]; textChunk: number },
  arrival: Arrival = NONE,
  warn: (message: string) => void = ignore,
): { lines(input: number): AsyncIterable<TimedLines>; close(): void } {
  const tasks = series.map((one) => ({ series: one, textChunk }));
  const { jobs, close } = startSeriesJobs(threads, tasks, { arrival, warn });
  return { lines: (input) => jobs[input]?.lines() ?? assert.fail('no such series'), close };
}

function createFile(path: string, day = DAY, isDownloading = false): SeriesFile {
  return { path, day, isDownloading };
}

async function merged(inputs: readonly AsyncIterable<TimedLines>[]): Promise<string> {
  const merge = new TimeMerge(inputs);
  const parts: string[] = [];
  while (await merge.fill()) {
    while (merge.next()) {
      const { bytes, ends } = merge.batch;
      const from = merge.start === 0 ? 0 : (ends[merge.start - 1] ?? 0);
      parts.push(Buffer.from(bytes.subarray(from, ends[merge.end - 1])).toString());
    }
  }
  return parts.join('');
}

/** Series whose files end with quoted rows, so that the parsers alternate between both ways. */
async function someSeries(dir: string): Promise<ReplaySeries[]> {
  const kinds: readonly DataType[] = ['trades', 'incremental_book_L2', 'trades', 'incremental_book_L2'];
  return Promise.all(
    kinds.map(async (dataType, at) => {
      const csv = csvOf(dataType, 500 + 250 * at);
      const [, row = ''] = csv.split('\n');
      const quoted = row.replaceAll(/[^,]+/g, '"$&"');
      const path = await writeDayFile(dir, dataType, `${csv}${quoted}\n${row}`, `S${at}`);
      const types = TYPES.filter(({ dayFileType }) => dayFileType === dataType);
      const files = [createFile(path), createFile(path)];
      return {
        exchange: 'deribit',
        dataType,
        symbol: 'BTC-PERPETUAL',
        types,
        symbols: undefined,
        period: ALWAYS,
        files,
      };
    }),
  );
}

function withWrongChecksum(gzip: Buffer): Buffer {
  gzip.writeUInt32LE((gzip.readUInt32LE(gzip.length - 8) ^ 1) >>> 0, gzip.length - 8);
  return gzip;
}

test('a thread gives the same bytes and warnings as this thread, for any chunk size', async (t) => {
  const series = await someSeries(await tempDir(t));
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const expected = await merged(readHere(series, 1024 * 1024, NONE, warn));
  // Each file is read twice, and ends with its first row.
  const expectedWarnings = warnings.splice(0).sort();
  assert.equal(expectedWarnings.length, 2 * series.length);
  assert.match(expectedWarnings[0] ?? '', /: 1 row earlier than the previous row, of \d+ rows read; /);
  assert.ok(expected.length > 1_000_000, `${expected.length} bytes`);
  for (const textChunk of [1024, 16_384]) {
    assert.ok((await merged(readHere(series, textChunk))) === expected, `${textChunk} here`);
    const task = readInThread(createThreads(t), { series, textChunk }, NONE, warn);
    const inputs = series.map((_, at) => task.lines(at));
    assert.ok((await merged(inputs)) === expected, `${textChunk} in a thread`);
    assert.deepEqual(warnings.splice(0).sort(), expectedWarnings);
  }
});

test('reads a file only up to the end of the period, even if the rest is corrupt', async (t) => {
  const [whole] = (await someSeries(await tempDir(t))) as [ReplaySeries];
  const [{ path }] = whole.files as [SeriesFile];
  const rows = gunzipSync(await readFile(path))
    .toString()
    .split('\n');
  const time = Number(rows[450]?.split(',')[3]);
  await writeFile(path, withWrongChecksum(await readFile(path)));
  const period = { ...ALWAYS, end: time };
  const names = whole.types.map(({ name }) => name);
  const expected = linesOf('trades', rows.slice(0, 451).join('\n'), names, { period }).map(
    ({ text }) => `${text}\n`,
  );
  assert.ok(expected.length > 360, `${expected.length} lines`);
  const series = [{ ...whole, period, files: [createFile(path), createFile(`${path}.none`)] }];
  assert.equal(await merged(readHere(series, 1024)), expected.join(''));
});

test('an error in a thread is the same as here, and is thrown after the lines before it', async (t) => {
  const dir = await tempDir(t);
  const [whole, other] = (await someSeries(dir)) as [ReplaySeries, ReplaySeries];
  const [{ path }] = whole.files as [SeriesFile];
  const broken = path.replace('S0', 'S9');
  await writeFile(broken, withWrongChecksum(await readFile(path)));
  const series = [{ ...whole, files: [createFile(path), createFile(broken)] }, other];
  const textChunk = 16_384;
  const read = async (lines: AsyncIterable<TimedLines> | undefined): Promise<[number, string, string]> => {
    let count = 0;
    try {
      for await (const part of lines ?? []) count += part.count;
    } catch (error) {
      assert.ok(error instanceof TickhaulError);
      return [count, error.code, error.message];
    }
    throw new Error('no error');
  };
  const task = readInThread(createThreads(t), { series, textChunk });
  const [count, code, message] = await read(task.lines(0));
  assert.deepEqual([count, code, message], await read(readHere(series, textChunk)[0]));
  assert.ok(count >= 500, `${count} lines`);
  assert.equal(code, 'corrupt');
  task.close();
  const lines = async (): Promise<void> => {
    for await (const _ of task.lines(1));
  };
  await assert.rejects(lines, { code: 'interrupted' });
});

test('gives lines while later days are downloaded, and all lines before a failed day, in a thread and here', async (t) => {
  const [first, second] = (await someSeries(await tempDir(t))) as [ReplaySeries, ReplaySeries];
  const [file] = first.files as [SeriesFile];
  const [later] = second.files as [SeriesFile];
  const day = addDays(DAY, 1);
  const text = gunzipSync(await readFile(later.path)).toString();
  await writeFile(
    later.path,
    gzipSync(text.replace(/\b1709\d{12}\b/g, (time) => String(Number(time) + US_A_DAY))),
  );
  // A day that the service does not have, and a series that begins on the next day.
  const series = [
    { ...first, files: [file, createFile('absent', day, true)] },
    {
      ...second,
      files: [{ ...later, day, isDownloading: true }, createFile('failed', addDays(DAY, 2), true)],
    },
  ];
  const lines = (await merged(readHere([{ ...first, files: [file] }], 1024))).length;
  const threads = createThreads(t);
  for (const isHere of [true, false]) {
    const arrivals = new FileArrivals(['absent', later.path, 'failed']);
    const arrival: Arrival = (path) => arrivals.wait(path);
    const task = readInThread(threads, { series, textChunk: 1024 }, arrival);
    let length = 0;
    const merging = mergeLines(
      {
        lines: isHere ? readHere(series, 1024, arrival) : series.map((_, at) => task.lines(at)),
        close: async () => task.close(),
      },
      {
        output: {
          async write(bytes) {
            length += bytes.length;
            if (length < lines) return;
            // All lines of the first day arrive before the second day is known.
            arrivals.resolve('absent', false);
            arrivals.resolve(later.path, true);
            arrivals.fail('failed', new TickhaulError('no_access', 'not this one'));
          },
        },
        written: { messages: 0, bytes: 0 },
        signal,
      },
    );
    await assert.rejects(merging, { code: 'no_access' });
    const whole = await merged(
      readHere(
        [
          { ...first, files: [file] },
          { ...second, files: [{ ...later, day }] },
        ],
        1024,
      ),
    );
    assert.equal(length, whole.length);
  }
});

test('many replays share a few threads: each gets its lines while others pause, fail or stop', async (t) => {
  const dir = await tempDir(t);
  const [whole, other] = (await someSeries(dir)) as [ReplaySeries, ReplaySeries];
  const [{ path }] = whole.files as [SeriesFile];
  const broken = path.replace('S0', 'S9');
  await writeFile(broken, withWrongChecksum(await readFile(path)));
  let started = 0;
  const threads = createThreads(t, 2, () => {
    started++;
  });
  const open = (series: readonly ReplaySeries[]): AsyncIterable<TimedLines>[] => {
    const task = readInThread(threads, { series, textChunk: 1024 });
    closing.push(() => task.close());
    return series.map((_, at) => task.lines(at));
  };
  const closing: (() => void)[] = [];
  const expected = await merged(readHere([whole, other], 1024));
  // Ten whose readers take a single buffer, and ten that fail.
  for (let i = 0; i < 10; i++) {
    for (const lines of open([other])) await lines[Symbol.asyncIterator]().next();
    await assert.rejects(merged(open([{ ...whole, files: [createFile(broken)] }])), { code: 'corrupt' });
  }
  const answers = Array.from({ length: 5 }, () => merged(open([whole, other])));
  for (const close of closing.slice(0, 20)) close();
  for (const answer of answers) assert.ok((await answer) === expected);
  assert.equal(started, 2);
});
