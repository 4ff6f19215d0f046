import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gate, MemoryBucket } from '../../../helpers/memory-store.js';
import { pathOf, recordOf } from '../../manifest/records.js';
import { compact, HOUR, MONTH, open, paths, ROOT, write } from './manifests.js';

test('a forgotten path stays forgotten, in any order of segments and through compactions', async () => {
  const bucket = new MemoryBucket();
  const first = await open(bucket.client());
  await write(first, recordOf('gone'), recordOf('kept'));
  await write(first, { ...recordOf('gone'), dropped: true });
  assert.deepEqual([first.size, first.get(pathOf('gone')), paths(first)], [1, undefined, ['kept']]);
  const [before = ''] = bucket.keys(ROOT);
  const late = bucket.text(before) ?? '';
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  assert.equal(bucket.keys(ROOT).length, 1);
  // A segment whose put took hours.
  bucket.write(`${ROOT}${MONTH}20211231T000000000Z-late-1.jsonl`, late);
  const again = await open(bucket.client());
  assert.deepEqual(paths(again), ['kept']);
  await write(again, recordOf('gone', 7));
  assert.equal((await open(bucket.client())).get(pathOf('gone'))?.rows, 7);
});

test('a month with lines that cannot be parsed is not compacted', async () => {
  const bucket = new MemoryBucket();
  for (const name of ['a', 'b']) await write(await open(bucket.client()), recordOf(name));
  const [key = ''] = bucket.keys(ROOT);
  bucket.write(key, `${bucket.text(key)}{"of":"a later version"}\n`);
  const before = bucket.keys(ROOT);
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  assert.deepEqual(bucket.keys(ROOT), before);
});

test('a run that writes creates one base of many segments, and a run an hour later removes them', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 50; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  const reader = await open(bucket.client());
  await reader.close();
  assert.equal(bucket.keys(ROOT).length, 50, 'a run that only read writes nothing');
  const last = await open(bucket.client());
  await write(last, recordOf('50'));
  await last.close();
  assert.equal(bucket.keys(ROOT).length, 52);
  assert.deepEqual(bucket.keys('data/.tickhaul/compactions/'), []);
  const got: string[] = [];
  const gate: Gate = async ({ name, key }, moment) => {
    if (name === 'get' && moment === 'before') got.push(key);
  };
  const next = await open(bucket.client(gate));
  assert.equal(next.size, 51);
  assert.equal(new Set(got).size, 1, 'the base, and nothing that it stands for');
  bucket.now += HOUR / 2;
  await write(next, recordOf('51'));
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 53);
  bucket.now += HOUR;
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 2);
  assert.equal((await open(bucket.client())).size, 52);
});

test('reread reads only what other runs have recorded since, through compactions', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  await compact(bucket);
  let got = 0;
  const reader = await open(
    bucket.client(async ({ name }, moment) => {
      if (name === 'get' && moment === 'before') got++;
    }),
  );
  got = 0;
  assert.equal((await reader.reread()).get(pathOf('0'))?.rows, 1);
  assert.equal(got, 0, 'a base and what it stands for are known');
  await write(await open(bucket.client()), recordOf('0', 2), recordOf('3'));
  await write(reader, recordOf('own'));
  const now = await reader.reread();
  assert.deepEqual(
    ['0', '1', '3', 'own', 'none'].map((path) => [now.has(pathOf(path)), now.get(pathOf(path))?.rows]),
    [
      [true, 2],
      [true, 1],
      [true, 1],
      [true, 1],
      [false, undefined],
    ],
  );
  assert.deepEqual([got, reader.get(pathOf('0'))?.rows, reader.has(pathOf('3'))], [1, 1, false]);
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  await write(await open(bucket.client()), { ...recordOf('1'), dropped: true });
  const later = await reader.reread();
  assert.deepEqual(
    [later.get(pathOf('0'))?.rows, later.has(pathOf('1')), later.has(pathOf('2'))],
    [2, false, true],
  );
});

test('an object that is removed between listing and reading is found in its base', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  let isListed = false;
  const store = bucket.client(async ({ name }, moment) => {
    if (isListed || name !== 'list' || moment !== 'after') return;
    isListed = true;
    await compact(bucket);
    bucket.now += 2 * HOUR;
    await compact(bucket);
  });
  const manifest = await open(store);
  assert.deepEqual(paths(manifest), ['0', '1', '2']);
  assert.equal(bucket.keys(ROOT).length, 1);
});

test('a store that lists objects that it never returns is an error, not an endless loop', async () => {
  const bucket = new MemoryBucket();
  await write(await open(bucket.client()), recordOf('a'));
  const store = { ...bucket.client(), getWhole: async () => undefined };
  await assert.rejects(open(store), { code: 'bad_answer', message: /lists objects that it does not return/ });
});
