import assert from 'node:assert/strict';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formatMinute } from '../../../src/dataset/minute.js';
import { readSliceIndex } from '../../../src/feeds/cache/slice-index.js';
import { slicePath } from '../../../src/feeds/cache/slice-path.js';
import { filterKeys } from '../../../src/feeds/canonical-filters.js';
import { createFeedRun, type FeedRunOptions } from '../../../src/feeds/create-feed-run.js';
import type { FeedRun } from '../../../src/feeds/feed-run.js';
import { SliceOpener } from '../../../src/feeds/read/slice-opener.js';
import { seededRandom } from '../../../src/sandbox/market/seeded-random.js';
import { createServiceClient } from '../../../src/service/http/service-client.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { START } from '../replaying.js';

const MINUTES = 9;
const [KEY = ''] = filterKeys([]);

/** Text that is decompressed in other threads: its slice is large enough. */
function createText(minute: number): string {
  const random = seededRandom('slice', minute);
  const time = formatMinute(minute);
  return Array.from({ length: 1500 }, () => `${time}:00.1234567Z [${random.next()},${random.next()}]\n`).join(
    '',
  );
}

interface Slices {
  readonly texts: readonly string[];
  readonly files: readonly string[];
  /** Memory of a slice: its text and its compressed bytes; at most. */
  readonly sliceBytes: number;
  /** Opens the slices in another run, without a service. */
  open(options: Partial<FeedRunOptions>): Promise<{ readonly run: FeedRun; readonly slices: SliceOpener }>;
}

async function writeSlices(t: TestContext): Promise<Slices> {
  const folder = await tempDir(t);
  const url = 'http://127.0.0.1:9';
  const client = createServiceClient({ apiUrl: url, datasetsUrl: url, stallTimeoutMs: 1000, env: {} });
  cleanUp(t, () => client.close());
  const minutes = Array.from({ length: MINUTES }, (_, i) => START + i);
  const texts = minutes.map(createText);
  const files = minutes.map((start) =>
    join(folder, 'feeds', slicePath('bitmex', KEY, { start, end: start + 1 }, 'gzip')),
  );
  let sliceBytes = 0;
  for (const [i, file] of files.entries()) {
    const bytes = gzipSync(texts[i] ?? '');
    sliceBytes = Math.max(sliceBytes, bytes.length + (texts[i]?.length ?? 0));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return {
    texts,
    files,
    sliceBytes,
    async open(options) {
      const run = createFeedRun({
        ...{ client, cacheFolder: folder, cacheLimit: undefined, offline: true, concurrency: 'auto' },
        ...{ retries: 0, maxWaitMs: 0, emit: () => {}, signal: new AbortController().signal },
        ...options,
      });
      const range = { start: START, end: START + MINUTES };
      const index = await readSliceIndex(run.cache.feeds, 'bitmex', [KEY], range);
      const part = { exchange: 'bitmex', filters: undefined, key: KEY, range, index, partCount: 1 };
      const slices = new SliceOpener(run, part, run.signal);
      cleanUp(t, () => slices.close());
      return { run, slices };
    },
  };
}

/** Number of slices whose memory is reserved, rounded. */
function countHeld({ texts }: FeedRun, sliceBytes: number): number {
  return Math.round((texts.bytes - texts.left) / sliceBytes);
}

for (const maxOpenAhead of [1, 2, 4]) {
  test(`opens slices in order, and ${maxOpenAhead} ahead of the one being read`, async (t) => {
    const { texts, sliceBytes, open } = await writeSlices(t);
    const { run, slices } = await open({ maxOpenAhead });
    assert.equal(countHeld(run, sliceBytes), 0);
    for (const [i, text] of texts.entries()) {
      const slice = await slices.next();
      assert.equal(slice?.selected.start, START + i);
      const left = MINUTES - 1 - i;
      await until('slices ahead', () => countHeld(run, sliceBytes) === 1 + Math.min(maxOpenAhead, left));
      const chunks: Buffer[] = [];
      await slice.text.read((chunk) => void chunks.push(chunk));
      assert.ok(Buffer.concat(chunks).toString() === text, `minute ${i}`);
      slice.done();
    }
    assert.equal(await slices.next(), undefined);
    assert.equal(run.texts.left, run.texts.bytes);
  });
}

test('a damaged slice ahead fails in its position', async (t) => {
  const { files, open } = await writeSlices(t);
  for (const at of [3, 4]) await truncate(files[at] ?? '', (await readFile(files[at] ?? '')).length - 9);
  const { run, slices } = await open({ maxOpenAhead: 4 });
  for (let i = 0; i < 3; i++) {
    const slice = await slices.next();
    assert.equal(slice?.selected.start, START + i);
    slice.done();
  }
  await assert.rejects(slices.next(), { code: 'corrupt', message: /\/03\.json\.gz: .*--offline/ });
  slices.close();
  assert.equal(run.texts.left, run.texts.bytes);
});

test('slices that are opened when the reader stops hold no memory', async (t) => {
  const { open } = await writeSlices(t);
  const { run, slices } = await open({ maxOpenAhead: 4 });
  await slices.next();
  slices.close();
  assert.equal(run.texts.left, run.texts.bytes);
  for (let i = 0; i < 4; i++) {
    assert.ok(await slices.next(), 'decompression ahead continues to its end');
    assert.equal(run.texts.left, run.texts.bytes);
  }
});

test('slices ahead take at most half of the memory that replays share, but one is always ahead', async (t) => {
  const { sliceBytes, open } = await writeSlices(t);
  for (const [budget, held] of [
    [3, 2],
    [6.5, 3],
    [8.5, 4],
    [20, 5],
  ] as const) {
    const { run, slices } = await open({ maxOpenAhead: 4, textBytes: Math.ceil(budget * sliceBytes) });
    for (let at = 1; at <= MINUTES; at++) {
      const slice = await slices.next();
      assert.ok(slice?.text.isKept);
      const ahead = Math.min(held - 1, MINUTES - at);
      await until('slices ahead', () => countHeld(run, sliceBytes) >= 1 + ahead);
      // The last ones are decompressed while another slice is opened.
      await open({ maxOpenAhead: 1 }).then((other) => other.slices.next());
      assert.equal(countHeld(run, sliceBytes), 1 + ahead, `slice ${at}, memory of ${budget}`);
      slice.done();
    }
    assert.equal(await slices.next(), undefined);
  }
});

test('no slice is opened ahead of one that does not fit into memory', async (t) => {
  const { texts, sliceBytes, open } = await writeSlices(t);
  const { run, slices } = await open({ maxOpenAhead: 4, textBytes: Math.floor(sliceBytes / 2) });
  for (const text of texts) {
    const slice = await slices.next();
    assert.equal(slice?.text.isKept, false);
    assert.equal(run.texts.left, run.texts.bytes);
    const chunks: Buffer[] = [];
    await slice.text.read((chunk) => void chunks.push(Buffer.from(chunk)));
    assert.ok(Buffer.concat(chunks).toString() === text);
    slice.done();
  }
});
