import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSliceName, readSliceIndex, slicePath } from '../../../src/raw-feeds/slices/slice-index.js';
import { tempDir } from '../../helpers/temp.js';
import { listCachedFiles } from '../replaying.js';

const KEY = 'a'.repeat(64);
/** 23:30, so that slices are in several hours and in two days. */
const BASE = Date.parse('2019-06-01T23:30:00Z') / 60_000;

test('has the layout of the vendor’s clients', () => {
  const name = (start: string, size: number, encoding: 'gzip' | 'zstd'): string => {
    const minute = Date.parse(`${start}:00Z`) / 60_000;
    return slicePath('bitmex', 'k', { start: minute, end: minute + size }, encoding);
  };
  assert.equal(name('2019-06-01T00:07', 1, 'gzip'), 'bitmex/k/2019/06/01/00/07.json.gz');
  assert.equal(name('2019-12-31T23:58', 5, 'zstd'), 'bitmex/k/2019/12/31/23/58.size-5.json.zst');
  for (const bad of [
    '07.json',
    '60.json.gz',
    '07.size-0.json.gz',
    '07.size-61.json.gz',
    '7.json.gz',
    '07.jsonab.unconfirmed',
  ]) {
    assert.equal(parseSliceName('f', BASE, bad), undefined, bad);
  }
});

test('finds a minute in any slice that contains it, the last-ending one first', async (t) => {
  const root = await tempDir(t);
  let folder = 0;
  const slice = fc.record({
    start: fc.integer({ min: -30, max: 130 }),
    size: fc.integer({ min: 1, max: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(slice, { maxLength: 12 }),
      fc.integer({ min: 0, max: 40 }),
      async (slices, from) => {
        const feeds = join(root, String(folder++));
        for (const { start, size } of slices) {
          const range = { start: BASE + start, end: BASE + start + size };
          const path = join(feeds, slicePath('bitmex', KEY, range, start % 2 ? 'gzip' : 'zstd'));
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, '');
        }
        const range = { start: BASE + from, end: BASE + 120 };
        const index = await readSliceIndex(feeds, 'bitmex', [KEY], range);
        for (let minute = range.start; minute < range.end; minute++) {
          const ends = slices
            .map(({ start, size }) => ({ start: BASE + start, end: BASE + start + size }))
            .filter(({ start, end }) => start <= minute && minute < end)
            .map(({ end }) => end);
          assert.equal(
            index.find(minute)?.end,
            ends.length === 0 ? undefined : Math.max(...ends),
            `${minute - BASE}`,
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('ignores slices stored less than 30 minutes after their end, and removes abandoned unfinished files', async (t) => {
  const dir = await tempDir(t);
  const range = { start: BASE, end: BASE + 3 };
  const at = (name: string, ms: number): string => {
    const path = join(dir, 'feeds', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    utimesSync(path, new Date(), new Date(ms));
    return path;
  };
  const slice = slicePath('bitmex', KEY, range, 'gzip');
  const end = range.end * 60_000;
  const look = async (): Promise<boolean> => {
    const index = await readSliceIndex(join(dir, 'feeds'), 'bitmex', [KEY], range);
    return index.find(BASE) !== undefined;
  };
  at(slice, end + 29 * 60_000);
  assert.equal(await look(), false);
  at(slice, end + 31 * 60_000);
  const unfinished = slice.replace(/gz$/, '');
  at(`${unfinished}0123456789abcdef.unconfirmed`, Date.now() - 2 * 3_600_000);
  at(`${unfinished}fedcba9876543210.unconfirmed`, Date.now());
  assert.equal(await look(), true);
  assert.deepEqual(await listCachedFiles(dir), [`${unfinished}fedcba9876543210.unconfirmed`, slice].sort());
});

test('an index of decades takes memory for the hours on disk only', async (t) => {
  const feeds = await tempDir(t);
  const range = { start: BASE, end: BASE + 40 };
  const path = join(feeds, slicePath('bitmex', KEY, range, 'gzip'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  // No slices, though their names are those of folders of times or of slices.
  for (const name of ['20x9', '2019/06/01/5', '2019/06/01/24', '2018', '2019/06/02.size-3.json.gz'])
    mkdirSync(join(feeds, 'bitmex', KEY, name), { recursive: true });
  writeFileSync(join(feeds, 'bitmex', KEY, '2017'), '');
  const before = process.memoryUsage().arrayBuffers;
  const decades = { start: 0, end: Date.parse('2026-01-01T00:00:00Z') / 60_000 };
  const indexes = await Promise.all(
    Array.from({ length: 20 }, () => readSliceIndex(feeds, 'bitmex', [KEY], decades)),
  );
  for (const index of indexes) {
    assert.equal(index.findFirst(decades), BASE);
    assert.equal(index.findFirst({ start: range.end, end: decades.end }), decades.end);
    assert.equal(index.find(BASE + 39)?.end, range.end);
    assert.equal(index.find(range.end), undefined);
  }
  const used = process.memoryUsage().arrayBuffers - before;
  assert.ok(used < 5e6, `${used} bytes`);
});
