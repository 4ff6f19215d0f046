import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { compactManifest } from '../../../src/store/folder/folder-manifest.js';
import { formatManifestLine } from '../../../src/store/manifest/manifest-line.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { createTestRecord, toTestPath } from '../manifest/records.js';
import { manifestFolder, paths } from './manifest-folder.js';

test('a grown manifest is compacted when it is opened, and keeps the last line of each path', async (t) => {
  const { path, open, writeRaw } = await manifestFolder(t);
  await writeRaw(
    Array.from({ length: 1200 }, (_, n) => formatManifestLine(createTestRecord(`${n % 500}`, n))).join(''),
  );
  const manifest = await open();
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 501);
  assert.equal(manifest.get(toTestPath('7'))?.rows, 1007);
  await manifest.append(createTestRecord('new'));
  await manifest.close();
  assert.equal((await open()).size, 501);
});

test('a manifest that grew while open is compacted when it is closed', async (t) => {
  const { path, open } = await manifestFolder(t);
  const manifest = await open();
  await Promise.all(Array.from({ length: 1200 }, (_, n) => manifest.append(createTestRecord(`${n % 3}`, n))));
  await manifest.close();
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 4);
});

test('a grown manifest that cannot be compacted is opened and closed as it is', {
  skip: process.platform === 'win32' && 'no sockets in folders here',
}, async (t) => {
  const { path, open, writeRaw } = await manifestFolder(t);
  await writeRaw(
    Array.from({ length: 1200 }, (_, n) => formatManifestLine(createTestRecord(`${n % 500}`, n))).join(''),
  );
  // The new file cannot be opened there, with an error that no disk has.
  const socket = createServer().listen(`${path}.compact`);
  cleanUp(t, () => socket.close());
  await once(socket, 'listening');
  const manifest = await open();
  await manifest.append(createTestRecord('new'));
  await manifest.close();
  assert.equal((await open()).size, 501);
});

test('of two compactions one gives up, unless the other started more than ten minutes ago', async (t) => {
  const { path, writeRaw } = await manifestFolder(t);
  const gone = createTestRecord('gone');
  const records = [
    createTestRecord('a', 1),
    gone,
    createTestRecord('a', 2),
    { ...gone, dropped: true as const },
  ];
  await writeRaw(records.map(formatManifestLine).join(''));
  await writeFile(`${path}.compact`, 'half');
  assert.equal(await compactManifest(path), false);
  assert.equal(await readFile(`${path}.compact`, 'utf8'), 'half');
  const longAgo = new Date(Date.now() - 11 * 60_000);
  await utimes(`${path}.compact`, longAgo, longAgo);
  assert.equal(await compactManifest(path), true);
  assert.equal(await readFile(path, 'utf8'), formatManifestLine(createTestRecord('a', 2)));
  await assert.rejects(stat(`${path}.compact`), { code: 'ENOENT' });
});

test('a process that had the old file open during a compaction appends to the new one', async (t) => {
  const { path, open } = await manifestFolder(t);
  const manifest = await open();
  await manifest.append(createTestRecord('a'));
  assert.equal(await compactManifest(path), true);
  await manifest.append(createTestRecord('b'));
  await manifest.close();
  assert.deepEqual(paths(await open()), ['a', 'b']);
});

test('no record is lost while four processes append and a fifth compacts repeatedly', async (t) => {
  const { path, warnings, open, startChild } = await manifestFolder(t);
  const names = ['p', 'q', 'r', 's'];
  const children = names.map((name) => startChild(name, 500));
  for (const child of children) child.stdout.resume();
  const exits = children.map((child) => once(child, 'exit'));
  let running = true;
  const all = Promise.all(exits).finally(() => {
    running = false;
  });
  let compactions = 0;
  while (running) {
    const done = await compactManifest(path).catch((error: NodeJS.ErrnoException) => {
      assert.equal(error.code, 'ENOENT');
      return false;
    });
    if (done) compactions++;
    await new Promise(setImmediate);
  }
  for (const [code] of await all) assert.equal(code, 0);
  assert.ok(compactions > 0);
  const manifest = await open();
  const want = names.flatMap((name) => Array.from({ length: 500 }, (_, n) => `${name}/${n}`));
  assert.deepEqual(paths(manifest).sort(), want.sort());
  assert.deepEqual(warnings, []);
});
