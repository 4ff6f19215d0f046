import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBucket, type RequestGate } from '../../../helpers/memory-store.js';
import { createTestRecord, toTestPath } from '../../manifest/records.js';
import { compact, HOUR, MONTH, open, paths, ROOT, write } from './manifests.js';

test('a forgotten path stays forgotten, in any order of segments and through compactions', async () => {
  const bucket = new MemoryBucket();
  const first = await open(bucket.client());
  await write(first, createTestRecord('gone'), createTestRecord('kept'));
  await write(first, { ...createTestRecord('gone'), dropped: true });
  assert.deepEqual([first.size, first.get(toTestPath('gone')), paths(first)], [1, undefined, ['kept']]);
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
  await write(again, createTestRecord('gone', 7));
  assert.equal((await open(bucket.client())).get(toTestPath('gone'))?.rows, 7);
});

test('a month with lines that cannot be parsed is not compacted', async () => {
  const bucket = new MemoryBucket();
  for (const name of ['a', 'b']) await write(await open(bucket.client()), createTestRecord(name));
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
  for (let n = 0; n < 50; n++) await write(await open(bucket.client()), createTestRecord(`${n}`));
  const reader = await open(bucket.client());
  await reader.close();
  assert.equal(bucket.keys(ROOT).length, 50, 'a run that only read writes nothing');
  const last = await open(bucket.client());
  await write(last, createTestRecord('50'));
  await last.close();
  assert.equal(bucket.keys(ROOT).length, 52);
  assert.deepEqual(bucket.keys('data/.tickhaul/compactions/'), []);
  const got: string[] = [];
  const gate: RequestGate = async ({ name, key }, moment) => {
    if (name === 'get' && moment === 'before') got.push(key);
  };
  const next = await open(bucket.client(gate));
  assert.equal(next.size, 51);
  assert.equal(new Set(got).size, 1, 'the base, and nothing that it stands for');
  bucket.now += HOUR / 2;
  await write(next, createTestRecord('51'));
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 53);
  bucket.now += HOUR;
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 2);
  assert.equal((await open(bucket.client())).size, 52);
});

test('reread reads only what other runs have recorded since, through compactions', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), createTestRecord(`${n}`));
  await compact(bucket);
  let got = 0;
  const reader = await open(
    bucket.client(async ({ name }, moment) => {
      if (name === 'get' && moment === 'before') got++;
    }),
  );
  got = 0;
  assert.equal((await reader.reread()).get(toTestPath('0'))?.rows, 1);
  assert.equal(got, 0, 'a base and what it stands for are known');
  await write(await open(bucket.client()), createTestRecord('0', 2), createTestRecord('3'));
  await write(reader, createTestRecord('own'));
  const now = await reader.reread();
  assert.deepEqual(
    ['0', '1', '3', 'own', 'none'].map((path) => [
      now.has(toTestPath(path)),
      now.get(toTestPath(path))?.rows,
    ]),
    [
      [true, 2],
      [true, 1],
      [true, 1],
      [true, 1],
      [false, undefined],
    ],
  );
  assert.deepEqual([got, reader.get(toTestPath('0'))?.rows, reader.has(toTestPath('3'))], [1, 1, false]);
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  await write(await open(bucket.client()), { ...createTestRecord('1'), dropped: true });
  const later = await reader.reread();
  assert.deepEqual(
    [later.get(toTestPath('0'))?.rows, later.has(toTestPath('1')), later.has(toTestPath('2'))],
    [2, false, true],
  );
});

test('an object that is removed between listing and reading is found in its base', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), createTestRecord(`${n}`));
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
  await write(await open(bucket.client()), createTestRecord('a'));
  const store = { ...bucket.client(), getWhole: async () => undefined };
  await assert.rejects(open(store), { code: 'bad_answer', message: /lists objects that it does not return/ });
});
